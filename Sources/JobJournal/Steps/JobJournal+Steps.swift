import Foundation
import JobKit

/// The four forms of a step.
///
/// The input of a step is all that its outcome depends on, except the key. It is encoded as JSON
/// with sorted keys and compared with the recorded input. Sort an input first if it contains a
/// `Set`, or a dictionary with keys that are not `String` or `Int`, because these have no order.
extension JobJournal {
    /// Creates a step that runs a closure and records its value.
    ///
    /// - Parameters:
    ///   - key: The step's name in its scope: any text, the same in all sessions.
    ///   - input: The data on which the outcome depends. If it differs from the recorded input, the
    ///     step fails with ``JobJournal/JobJournal/InputChangedError`` and does not run.
    ///   - version: The version of the work. An outcome of another version is ignored, and the step
    ///     runs again.
    ///   - body: The work. It runs in its own Swift task, and only if no outcome is known.
    /// - Returns: The step, which has not been started.
    public func step<Output: Codable & Sendable>(
        _ key: String,
        input: (any Encodable & Sendable)? = nil,
        version: Int = 1,
        _ body: @escaping @Sendable (StepContext) async throws -> Output
    ) -> DurableOperation<Output> {
        DurableOperation(key, in: self, version, input, .json, .body(body))
    }

    /// Creates a step that runs a closure and records that it has succeeded.
    ///
    /// - Parameters:
    ///   - key: The step's name in its scope: any text, the same in all sessions.
    ///   - input: The data on which the success depends. If it differs from the recorded input, the
    ///     step fails with ``JobJournal/JobJournal/InputChangedError`` and does not run.
    ///   - version: The version of the work. A record of another version is ignored, and the step
    ///     runs again.
    ///   - body: The work. It runs in its own Swift task, and only if no success is known.
    /// - Returns: The step, which has not been started.
    @_disfavoredOverload
    public func step(
        _ key: String,
        input: (any Encodable & Sendable)? = nil,
        version: Int = 1,
        _ body: @escaping @Sendable (StepContext) async throws -> Void
    ) -> DurableOperation<Void> {
        DurableOperation(key, in: self, version, input, .nothing, .body(body))
    }

    /// Creates a step that runs an operation and records its value.
    ///
    /// - Parameters:
    ///   - key: The step's name in its scope: any text, the same in all sessions.
    ///   - input: The data on which the outcome depends. If it differs from the recorded input, the
    ///     step fails with ``JobJournal/JobJournal/InputChangedError`` and does not run.
    ///   - version: The version of the work. An outcome of another version is ignored, and the step
    ///     runs again.
    ///   - making: Creates the operation, a job, or a retry of either. It is called only if no
    ///     outcome is known, on the thread that starts the step or on a JobKit thread.
    /// - Returns: The step, which has not been started.
    public func operationStep<Made: ValueProducing>(
        _ key: String,
        input: (any Encodable & Sendable)? = nil,
        version: Int = 1,
        making: @escaping @Sendable (StepContext) -> Made
    ) -> DurableOperation<Made.Success> where Made.Success: Codable {
        DurableOperation(
            key,
            in: self,
            version,
            input,
            .json,
            .making { MadeOperation(making($0)) }
        )
    }

    /// Creates a step that runs an operation and records that it has succeeded.
    ///
    /// - Parameters:
    ///   - key: The step's name in its scope: any text, the same in all sessions.
    ///   - input: The data on which the success depends. If it differs from the recorded input, the
    ///     step fails with ``JobJournal/JobJournal/InputChangedError`` and does not run.
    ///   - version: The version of the work. A record of another version is ignored, and the step
    ///     runs again.
    ///   - making: Creates the operation. It is called only if no success is known, on the thread
    ///     that starts the step or on a JobKit thread.
    /// - Returns: The step, which has not been started.
    @_disfavoredOverload
    public func operationStep(
        _ key: String,
        input: (any Encodable & Sendable)? = nil,
        version: Int = 1,
        making: @escaping @Sendable (StepContext) -> ConcurrentOperation
    ) -> DurableOperation<Void> {
        DurableOperation(
            key,
            in: self,
            version,
            input,
            .nothing,
            .making { MadeOperation(anyOperation: making($0)) }
        )
    }
}
