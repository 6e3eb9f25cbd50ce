/// The times of a workflow's events; the callers read the clock.
struct LaunchRecord: Sendable {
    typealias Instant = ContinuousClock.Instant

    enum Ending: Sendable {
        case succeeded
        case failed
        case cancelled
    }

    struct Task: Sendable {
        var name: String
        /// Its number in events.
        let eventID: Int
        /// Nil if the task never ran.
        var began: Instant?
        var ended: Instant?
        var ending = Ending.succeeded
    }

    private(set) var began: Instant?
    private(set) var ended: Instant?
    private(set) var tasks: [Task] = []
    private(set) var openings: [Int: Instant] = [:]

    mutating func workflowBegan(at instant: Instant) { began = instant }
    mutating func workflowEnded(at instant: Instant) { ended = instant }
    mutating func taskAdded(_ name: String, eventID: Int = 0) {
        tasks.append(Task(name: name, eventID: eventID))
    }

    mutating func taskBegan(_ index: Int, name: String, at instant: Instant) {
        tasks[index].name = name
        tasks[index].began = instant
    }

    mutating func taskEnded(_ index: Int, as ending: Ending, at instant: Instant) {
        guard tasks[index].ended == nil else { return }
        tasks[index].ended = instant
        tasks[index].ending = ending
    }

    mutating func stageOpened(_ stage: Int, at instant: Instant) { openings[stage] = instant }
}
