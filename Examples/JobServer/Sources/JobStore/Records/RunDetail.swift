/// A run with its parameters and its result.
public struct RunDetail: Sendable {
    /// The run.
    public var record: RunRecord
    /// The parameters as JSON.
    public var parameters: String
    /// The result as JSON, if the run ended with one.
    public var result: String?
    /// The client's name for the submission, if it was read.
    public var key: String?
    /// The parameters as the client sent them, if they were read.
    public var requested: String?
    /// The number of the run whose journal it continues, if it was read.
    ///
    /// Nil for its own journal.
    public var journalID: Int64?
}
