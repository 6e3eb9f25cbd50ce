/// A run as the database keeps it; times are milliseconds since 1970.
public struct RunRecord: Sendable, Equatable {
    /// The run's number, never used again.
    public var id: Int64
    /// The name of its kind of job.
    public var kind: String
    /// What people call it.
    public var title: String
    /// Where it stands.
    public var state: RunState
    /// How far it is, from 0 to 1.
    public var progress: Double
    /// How many tasks it began to track.
    public var tasksTracked: Int
    /// How many of them have finished, failed ones included.
    public var tasksFinished: Int
    /// How many of them failed.
    public var tasksFailed: Int
    /// Which attempt it is, from 1.
    public var attempt: Int
    /// The run that it repeats.
    public var previousID: Int64?
    /// When it was submitted.
    public var submittedAt: Int64
    /// When its job was started.
    public var startedAt: Int64?
    /// When it ended.
    public var finishedAt: Int64?
    /// One sentence that says why it failed, or was left as it is.
    public var error: String?
    /// How urgent it is: of runs that wait, one of a higher number starts first.
    public var priority: Int
    /// When it may start; nil for at once.
    public var runAt: Int64?
    /// When it was first asked to stop.
    public var cancelRequestedAt: Int64?
    /// The first tasks that failed.
    public var failures: [RunFailure]
    /// How many steps its journal knew when it started; nil without a journal.
    public var knownSteps: Int?

    /// Makes a record.
    public init(
        id: Int64,
        kind: String,
        title: String,
        state: RunState,
        progress: Double = 0,
        tasksTracked: Int = 0,
        tasksFinished: Int = 0,
        tasksFailed: Int = 0,
        attempt: Int = 1,
        previousID: Int64? = nil,
        submittedAt: Int64,
        startedAt: Int64? = nil,
        finishedAt: Int64? = nil,
        error: String? = nil,
        priority: Int = 0,
        runAt: Int64? = nil,
        cancelRequestedAt: Int64? = nil,
        failures: [RunFailure] = [],
        knownSteps: Int? = nil
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.state = state
        self.progress = progress
        self.tasksTracked = tasksTracked
        self.tasksFinished = tasksFinished
        self.tasksFailed = tasksFailed
        self.attempt = attempt
        self.previousID = previousID
        self.submittedAt = submittedAt
        self.startedAt = startedAt
        self.finishedAt = finishedAt
        self.error = error
        self.priority = priority
        self.runAt = runAt
        self.cancelRequestedAt = cancelRequestedAt
        self.failures = failures
        self.knownSteps = knownSteps
    }
}
