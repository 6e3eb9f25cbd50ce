/// What a client submits.
public struct NewRun: Sendable {
    /// The name of its kind of job.
    public var kind: String
    /// What people call it.
    public var title: String
    /// The parameters as JSON.
    public var parameters: String
    /// The client's own name for the submission: the same key makes one run.
    public var key: String?
    /// The run that it repeats.
    public var previousID: Int64?
    /// Which attempt it is, from 1.
    public var attempt: Int
    /// When it was submitted, in milliseconds since 1970.
    public var submittedAt: Int64
    /// The parameters as the client sent them, which those of the same key must equal; nil without a key.
    public var requested: String?
    /// How urgent it is: higher numbers start first.
    public var priority: Int
    /// When it may start, in milliseconds since 1970; nil for at once.
    public var runAt: Int64?
    /// How many starts in a row, of the runs that it repeats, ended with the process.
    public var crashes: Int
    /// The number of the run with whose journal it goes on; nil for its own.
    public var journalID: Int64?

    /// Makes a submission.
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
