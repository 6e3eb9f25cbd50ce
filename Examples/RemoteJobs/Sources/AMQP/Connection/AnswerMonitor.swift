/// Detects a channel on which the oldest request or message stays unanswered.
///
/// It checks once per half heartbeat interval. If a node of a cluster has died, one of its streams
/// may never confirm the messages under way, although everything else works. The bound is longer
/// than the minute that RabbitMQ needs to detect a stopped node.
struct AnswerMonitor {
    /// A connection ends after 36 half intervals without an answer, 90 s for an interval of 5 s.
    static let mostTicks = 36

    private var oldest: UInt64?
    private var ticks = 0

    /// Counts one more half interval.
    ///
    /// - Parameters:
    ///   - number: The oldest unanswered request or message.
    ///   - isBlocked: Whether the broker accepts no messages at the moment.
    /// - Returns: Whether an answer can still be expected.
    mutating func ticked(oldest number: UInt64?, isBlocked: Bool) -> Bool {
        guard let number, !isBlocked, number == oldest else {
            (oldest, ticks) = (number, 0)
            return true
        }
        ticks += 1
        return ticks <= AnswerMonitor.mostTicks
    }
}
