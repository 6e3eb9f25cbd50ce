import Foundation

/// The error of ``StepQueue/run(_:seed:patience:)`` if nothing can continue.
public struct StepQueueStallError: LocalizedError, Hashable, CustomStringConvertible {
    /// The job's name, or the name of its type.
    public let name: String
    /// Why the job has not finished, task by task: the text of its `explainStall()`.
    public let explanation: String

    /// Creates the error of a job that stalls.
    public init(name: String, explanation: String) {
        (self.name, self.explanation) = (name, explanation)
    }

    /// One sentence that names the job, without the explanation.
    public var description: String { "\(name) cannot continue without time or an outside event." }

    /// The same as `description`.
    public var errorDescription: String? { description }
}
