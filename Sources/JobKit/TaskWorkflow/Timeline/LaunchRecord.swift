/// The times of a workflow's events, which its callers read from the clock.
struct LaunchRecord: Sendable {
    typealias Instant = ContinuousClock.Instant

    struct Task: Sendable {
        var name: String
        /// The task's number in events.
        var eventID = 0
        /// Nil if the task never ran.
        var began: Instant?
        var ended: Instant?
        /// The description of the task's outcome.
        var outcome: String?
    }

    var tasks: [Task] = []
    /// The time at which each stage opened.
    var openings: [Instant] = []
    /// The time at which the workflow ended.
    var ended: Instant?

    /// Records the end of a task, unless it is recorded already.
    mutating func taskEnded(_ index: Int, _ outcome: String?, at instant: Instant) {
        guard tasks[index].ended == nil else { return }
        tasks[index].ended = instant
        tasks[index].outcome = outcome
    }
}
