/// A run with its parameters and its result.
public struct RunDetail: Sendable {
    /// The run.
    public var record: RunRecord
    /// The parameters as JSON.
    public var parameters: String
    /// The result as JSON, of a run that ended with one.
    public var result: String?
    /// The client's own name for the submission, as far as it was read.
    public var key: String?
    /// The parameters as the client sent them, as far as they were read.
    public var requested: String?
    /// The number of the run with whose journal it goes on, as far as it was read; nil for its own.
    public var journalID: Int64?
}
