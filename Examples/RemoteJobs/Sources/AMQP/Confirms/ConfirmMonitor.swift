/// Decides at each half of a heartbeat's interval whether a channel's confirms still come.
///
/// A stream whose node of a cluster has died may never confirm what was on its way, while all else
/// goes on. It is longer than the minute in which RabbitMQ misses a stopped node.
struct ConfirmMonitor {
    /// 36 halves of an interval for one message end a connection: 90 s at 5 s.
    static let mostTicks = 36

    private var oldest: UInt64?
    private var ticks = 0

    /// Half an interval has passed.
    ///
    /// - Parameters:
    ///   - number: The oldest message that is not confirmed.
    ///   - isBlocked: Whether the broker has said that it takes none for now.
    /// - Returns: Whether confirms are still to be expected.
    mutating func ticked(oldest number: UInt64?, isBlocked: Bool) -> Bool {
        guard let number, !isBlocked, number == oldest else {
            (oldest, ticks) = (number, 0)
            return true
        }
        ticks += 1
        return ticks <= ConfirmMonitor.mostTicks
    }
}
