/// The times of a workflow's events; the callers read the clock.
struct LaunchRecord: Sendable {
    typealias Instant = ContinuousClock.Instant

    struct Task: Sendable {
        var name: String
        /// Its number in events.
        var eventID = 0
        /// Nil if the task never ran.
        var began: Instant?
        var ended: Instant?
        /// How it ended, in the word of its outcome.
        var outcome: String?
    }

    var tasks: [Task] = []
    /// When each stage opened.
    var openings: [Instant] = []
    /// When the workflow ended.
    var ended: Instant?

    /// Notes an end; a second one is ignored.
    mutating func taskEnded(_ index: Int, _ outcome: String?, at instant: Instant) {
        guard tasks[index].ended == nil else { return }
        tasks[index].ended = instant
        tasks[index].outcome = outcome
    }
}
