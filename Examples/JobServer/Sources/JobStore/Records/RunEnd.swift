/// The end of a run.
public struct RunEnd: Sendable {
    /// A state that is an end.
    public var state: RunState
    /// The time, in milliseconds since 1970.
    public var finishedAt: Int64
    /// The progress, from 0 to 1.
    public var progress: Double
    /// The number of tracked tasks.
    public var tasksTracked: Int
    /// The number of finished tasks.
    public var tasksFinished: Int
    /// The number of failed tasks.
    public var tasksFailed: Int
    /// The reason for its failure.
    public var error: String?
    /// Its result as JSON.
    public var result: String?
    /// The first tasks that failed.
    public var failures: [RunFailure]
    /// When it was asked to stop, unless that is already saved.
    public var cancelRequestedAt: Int64?
    /// The encoded timeline, if it is worth keeping.
    public var timeline: [UInt8]?

    /// Creates an end.
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
