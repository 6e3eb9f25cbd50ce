import Foundation

/// The error of ``StepQueue/run(_:seed:patience:)`` where a job does not go on.
public struct StepQueueStalled: LocalizedError, CustomStringConvertible {
    /// What the job's `explainStall()` said: why it has not finished, task by task.
    public let explanation: String
    /// The seed of the run.
    public let seed: UInt64

    /// The explanation.
    public var description: String { explanation }

    /// The explanation.
    public var errorDescription: String? { explanation }
}
