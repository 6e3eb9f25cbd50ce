import Logging

/// How log lines and spans call a run.
public struct RunIdentity: Sendable {
    /// The kind of job, the only one of these that becomes a metric's label.
    public let kind: String
    /// The run's number, if it has one.
    public let id: Int64?
    /// Which attempt it is, counted from 1.
    public let attempt: Int

    /// Names a run.
    ///
    /// - Parameters:
    ///   - kind: The kind of job: one of few, as it is a metric's label.
    ///   - id: The run's number, if it has one.
    ///   - attempt: Which attempt it is, counted from 1.
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
