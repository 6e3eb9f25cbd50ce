/// How a run ended.
public struct RunEnd: Sendable {
    /// A state that is an end.
    public var state: RunState
    /// When, in milliseconds since 1970.
    public var finishedAt: Int64
    /// How far it was, from 0 to 1.
    public var progress: Double
    /// How many tasks it had tracked.
    public var tasksTracked: Int
    /// How many of them had finished.
    public var tasksFinished: Int
    /// How many of them had failed.
    public var tasksFailed: Int
    /// Why it failed.
    public var error: String?
    /// Its result as JSON.
    public var result: String?
    /// The first tasks that failed.
    public var failures: [RunFailure]
    /// When it was asked to stop, unless that was noted before.
    public var cancelRequestedAt: Int64?
    /// Its timeline, encoded, if it is worth keeping.
    public var timeline: [UInt8]?

    /// Makes an end.
    public init(
        state: RunState,
        finishedAt: Int64,
        progress: Double = 0,
        tasksTracked: Int = 0,
        tasksFinished: Int = 0,
        tasksFailed: Int = 0,
        error: String? = nil,
        result: String? = nil,
        failures: [RunFailure] = [],
        cancelRequestedAt: Int64? = nil,
        timeline: [UInt8]? = nil
    ) {
        self.state = state
        self.finishedAt = finishedAt
        self.progress = progress
        self.tasksTracked = tasksTracked
        self.tasksFinished = tasksFinished
        self.tasksFailed = tasksFailed
        self.error = error
        self.result = result
        self.failures = failures
        self.cancelRequestedAt = cancelRequestedAt
        self.timeline = timeline
    }
}
