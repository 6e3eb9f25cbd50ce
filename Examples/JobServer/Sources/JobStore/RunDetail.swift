/// A run with its parameters and its result.
public struct RunDetail: Sendable {
    /// The run.
    public var record: RunRecord
    /// The parameters as JSON.
    public var parameters: String
    /// The result as JSON, of a run that ended with one.
    public var result: String?
}
