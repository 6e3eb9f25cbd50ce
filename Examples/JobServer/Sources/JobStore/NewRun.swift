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

    /// Makes a submission.
    public init(
        kind: String,
        title: String,
        parameters: String,
        key: String? = nil,
        previousID: Int64? = nil,
        attempt: Int = 1,
        submittedAt: Int64
    ) {
        self.kind = kind
        self.title = title
        self.parameters = parameters
        self.key = key
        self.previousID = previousID
        self.attempt = attempt
        self.submittedAt = submittedAt
    }
}
