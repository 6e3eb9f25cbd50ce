/// Detects a job's stream that delivers nothing, and decides when to write a marker into it.
///
/// Everything for which a session waits comes through the stream. After a change of its leader, a
/// stream may confirm messages and deliver them only after further messages, or never, although the
/// connection works.
struct StreamMonitor {
    enum Action {
        /// Write a marker, which all readers of the stream receive.
        case ask
        /// Reconnect, because markers were written and none was read.
        case giveUp
    }

    /// The length of a tick.
    static let tick = Duration.seconds(5)
    /// The number of silent ticks before a working stream gets a marker.
    ///
    /// Tasks may take long.
    static let quietTicks = 6
    /// The number of markers that may stay undelivered.
    static let mostAsks = 4

    private var silentTicks = 0

    /// Records that the stream has delivered a message.
    mutating func heard() {
        silentTicks = 0
    }

    /// Counts a tick.
    ///
    /// - Parameters:
    ///   - isReady: Whether the stream was read up to this connection's first marker.
    ///   - isAwaited: Whether a marker or an outcome is expected.
    ///   - isBlocked: Whether the broker accepts no messages at the moment.
    /// - Returns: The action to carry out, if any.
    mutating func ticked(isReady: Bool, isAwaited: Bool, isBlocked: Bool) -> Action? {
        guard isAwaited, !isBlocked else {
            silentTicks = 0
            return nil
        }
        silentTicks += 1
        let asks = silentTicks - (isReady ? StreamMonitor.quietTicks : 0)
        guard asks > 0 else { return nil }
        return asks <= StreamMonitor.mostAsks ? .ask : .giveUp
    }
}
