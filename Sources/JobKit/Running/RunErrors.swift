import Foundation

/// The error of a run that was cancelled because its operation had not finished in time.
///
/// See ``ConcurrentOperation/run(on:timeout:stopWithin:)``.
public struct JobTimeoutError: LocalizedError, Hashable, CustomStringConvertible {
    /// The name of the job or operation, or the name of its type.
    public let name: String
    /// How long the job or operation had.
    public let limit: Duration
    /// Why the operation had not finished.
    ///
    /// This is the text of ``JobController/explainStall(limit:)`` or, for an operation that is not
    /// a job, the line that the text would have for it.
    public let explanation: String

    /// Creates the error of a job that was cancelled after a limit.
    public init(name: String, limit: Duration, explanation: String) {
        (self.name, self.limit, self.explanation) = (name, limit, explanation)
    }

    /// One sentence that names the job and its limit, without the explanation.
    public var description: String { "\(name) was cancelled because it took longer than \(limit)." }

    /// The same as `description`.
    public var errorDescription: String? { description }
}

/// The error of a run that ended before its cancelled operation had stopped.
///
/// The operation continues. See ``ConcurrentOperation/run(on:timeout:stopWithin:)``.
public struct JobStopTimeoutError: LocalizedError, Hashable, CustomStringConvertible {
    /// The name of the job or operation, or the name of its type.
    public let name: String
    /// Why the operation had not finished.
    ///
    /// This is the text of ``JobController/explainStall(limit:)`` or, for an operation that is not
    /// a job, the line that the text would have for it.
    public let explanation: String

    /// Creates the error of a job that did not stop.
    public init(name: String, explanation: String) {
        (self.name, self.explanation) = (name, explanation)
    }

    /// One sentence that names the job, without the explanation.
    public var description: String { "\(name) was cancelled and did not stop in time." }

    /// The same as `description`.
    public var errorDescription: String? { description }
}
