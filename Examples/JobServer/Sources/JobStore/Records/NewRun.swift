/// A submission of a run.
public struct NewRun: Sendable {
    /// The name of its kind of job.
    public var kind: String
    /// The title of the run.
    public var title: String
    /// The parameters as JSON.
    public var parameters: String
    /// The client's name for the submission.
    ///
    /// All submissions with the same key result in one run.
    public var key: String?
    /// The run that it repeats.
    public var previousID: Int64?
    /// The number of the attempt, from 1.
    public var attempt: Int
    /// The time of the submission, in milliseconds since 1970.
    public var submittedAt: Int64
    /// The parameters as the client sent them, or nil without a key.
    ///
    /// Further submissions with the same key must have equal parameters.
    public var requested: String?
    /// The priority.
    ///
    /// Higher numbers start first.
    public var priority: Int
    /// The earliest start, in milliseconds since 1970, or nil for no delay.
    public var runAt: Int64?
    /// How many consecutive starts of the runs that it repeats ended with the process.
    public var crashes: Int
    /// The number of the run whose journal it continues, or nil for its own journal.
    public var journalID: Int64?

    /// Creates a submission.
    public init(
        kind: String,
        title: String,
        parameters: String,
        key: String? = nil,
        previousID: Int64? = nil,
        attempt: Int = 1,
        submittedAt: Int64,
        requested: String? = nil,
        priority: Int = 0,
        runAt: Int64? = nil,
        crashes: Int = 0,
        journalID: Int64? = nil
    ) {
        self.kind = kind
        self.title = title
        self.parameters = parameters
        self.key = key
        self.previousID = previousID
        self.attempt = attempt
        self.submittedAt = submittedAt
        self.requested = requested
        self.priority = priority
        self.runAt = runAt
        self.crashes = crashes
        self.journalID = journalID
    }
}
