/// A run in the database.
///
/// Times are milliseconds since 1970.
public struct RunRecord: Sendable, Equatable {
    /// The run's number, never used again.
    public var id: Int64
    /// The name of its kind of job.
    public var kind: String
    /// The title of the run.
    public var title: String
    /// The state of the run.
    public var state: RunState
    /// The progress, from 0 to 1.
    public var progress: Double
    /// The number of tracked tasks.
    public var tasksTracked: Int
    /// The number of finished tasks, including failed ones.
    public var tasksFinished: Int
    /// The number of failed tasks.
    public var tasksFailed: Int
    /// The number of the attempt, from 1.
    public var attempt: Int
    /// The run that it repeats.
    public var previousID: Int64?
    /// The time of the submission.
    public var submittedAt: Int64
    /// The time when its job was started.
    public var startedAt: Int64?
    /// The time of the end.
    public var finishedAt: Int64?
    /// One sentence that explains why it failed or was not repeated.
    public var error: String?
    /// The priority.
    ///
    /// Among waiting runs, the highest number starts first.
    public var priority: Int
    /// The earliest start, or nil for no delay.
    public var runAt: Int64?
    /// When it was first asked to stop.
    public var cancelRequestedAt: Int64?
    /// The first tasks that failed.
    public var failures: [RunFailure]
    /// How many steps its journal contained at its start, or nil without a journal.
    public var knownSteps: Int?

    /// Creates a record.
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
