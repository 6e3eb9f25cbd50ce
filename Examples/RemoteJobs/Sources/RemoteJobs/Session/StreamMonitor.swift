/// Decides each few seconds whether a job's stream is still heard, and when to write into it to see.
///
/// Whatever a session waits for comes by the stream. One that has a new leader may confirm what is
/// written and not deliver it before more is written, or ever, while the connection lives.
struct StreamMonitor {
    enum Action {
        /// Write a marker: whoever reads the stream reads it too.
        case ask
        /// Markers were written and none was read: nothing will come here any more.
        case giveUp
    }

    /// How long a tick is.
    static let tick = Duration.seconds(5)
    /// After so many silent ticks a stream that was heard before is asked: tasks may be long.
    static let quietTicks = 6
    /// So many markers may stay away.
    static let mostAsks = 4

    private var silentTicks = 0

    /// Something came by the stream.
    mutating func heard() {
        silentTicks = 0
    }

    /// A tick has passed.
    ///
    /// - Parameters:
    ///   - isReady: Whether the stream was read up to this connection's first marker.
    ///   - isAwaited: Whether something is to come: the marker, or an outcome.
    ///   - isBlocked: Whether the broker has said that it takes nothing for now.
    /// - Returns: What is to be done.
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
