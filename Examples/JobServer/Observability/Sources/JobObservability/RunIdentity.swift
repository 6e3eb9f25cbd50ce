import Logging

/// Identifies a run in log lines and spans.
public struct RunIdentity: Sendable {
    /// The kind of job.
    ///
    /// It is the only one of these values that becomes a label of metrics.
    public let kind: String
    /// The run's number, if it has one.
    public let id: Int64?
    /// The number of the attempt, from 1.
    public let attempt: Int

    /// Creates an identity.
    ///
    /// - Parameters:
    ///   - kind: The kind of job. There must be few kinds, because it is a label of metrics.
    ///   - id: The run's number, if it has one.
    ///   - attempt: The number of the attempt, from 1.
    public init(kind: String, id: Int64? = nil, attempt: Int = 1) {
        self.kind = kind
        self.id = id
        self.attempt = attempt
    }

    /// The identity as metadata of a logger.
    public var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "job.kind": "\(LogText.oneLine(kind))", "job.attempt": "\(attempt)",
        ]
        if let id { metadata["job.id"] = "\(id)" }
        return metadata
    }
}
