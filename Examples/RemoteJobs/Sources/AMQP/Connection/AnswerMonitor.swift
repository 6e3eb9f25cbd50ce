/// Decides at each half of a heartbeat's interval whether a channel is still answered: its requests,
/// or its messages by confirms.
///
/// A stream whose node of a cluster has died may never confirm what was on its way, while all else
/// goes on. It is longer than the minute in which RabbitMQ misses a stopped node.
struct AnswerMonitor {
    /// 36 halves of an interval for one answer end a connection: 90 s at 5 s.
    static let mostTicks = 36

    private var oldest: UInt64?
    private var ticks = 0

    /// Half an interval has passed.
    ///
    /// - Parameters:
    ///   - number: The oldest that is not answered.
    ///   - isBlocked: Whether the broker has said that it takes nothing for now.
    /// - Returns: Whether answers are still to be expected.
    mutating func ticked(oldest number: UInt64?, isBlocked: Bool) -> Bool {
        guard let number, !isBlocked, number == oldest else {
            (oldest, ticks) = (number, 0)
            return true
        }
        ticks += 1
        return ticks <= AnswerMonitor.mostTicks
    }
}
