import Foundation
import JobKit

/// Steps that are known by their keys alone.
extension JobJournal {
    /// A step that runs a closure and records its value.
    ///
    /// - Parameters:
    ///   - key: The step's name in its scope: any text, the same in all lives.
    ///   - version: Another version forgets the recorded outcome, and runs again.
    ///   - body: The work, which runs in a `Task` of its own; only if no outcome is known.
    /// - Returns: The step, which has not been started.
    public func step<Output: Codable & Sendable>(
        _ key: String,
        version: Int = 1,
        _ body: @escaping @Sendable (StepContext) async throws -> Output
    ) -> DurableOperation<Output> {
        step(key, version, input: nil, .json, .body(body))
    }

    /// A step that runs an operation, a job or a retry of either, and records its value.
    ///
    /// - Parameters:
    ///   - key: The step's name in its scope: any text, the same in all lives.
    ///   - version: Another version forgets the recorded outcome, and runs again.
    ///   - making: Creates what runs; called only if no outcome is known, on the thread that
    ///     starts the step or one of JobKit's.
    /// - Returns: The step, which has not been started.
    public func step<Made: ValueProducing>(
        _ key: String,
        version: Int = 1,
        making: @escaping @Sendable (StepContext) -> Made
    ) -> DurableOperation<Made.Success> where Made.Success: Codable {
        step(key, version, input: nil, .json, .making { MadeOperation(making($0)) })
    }

    /// A step that runs a closure and records that it has succeeded.
    ///
    /// - Parameters:
    ///   - key: The step's name in its scope: any text, the same in all lives.
    ///   - version: Another version forgets the recorded outcome, and runs again.
    ///   - body: The work, which runs in a `Task` of its own; only if no outcome is known.
    /// - Returns: The step, which has not been started.
    @_disfavoredOverload
    public func step(
        _ key: String,
        version: Int = 1,
        _ body: @escaping @Sendable (StepContext) async throws -> Void
    ) -> DurableOperation<Void> {
        step(key, version, input: nil, .nothing, .body(body))
    }

    /// A step that runs an operation or a job and records that it has succeeded.
    ///
    /// - Parameters:
    ///   - key: The step's name in its scope: any text, the same in all lives.
    ///   - version: Another version forgets the recorded outcome, and runs again.
    ///   - making: Creates what runs; called only if no outcome is known, on the thread that
    ///     starts the step or one of JobKit's.
    /// - Returns: The step, which has not been started.
    @_disfavoredOverload
    public func step(
        _ key: String,
        version: Int = 1,
        making: @escaping @Sendable (StepContext) -> ConcurrentOperation
    ) -> DurableOperation<Void> {
        step(
            key,
            version,
            input: nil,
            .nothing,
            .making { MadeOperation(anyOperation: making($0)) }
        )
    }

    func step<Output: Sendable>(
        _ key: String,
        _ version: Int,
        input: (@Sendable () throws -> Data)?,
        _ coding: OutcomeCoding<Output>,
        _ work: StepWork<Output>
    ) -> DurableOperation<Output> {
        DurableOperation(
            key,
            in: self,
            version: version,
            input: input,
            coding: coding,
            work: work
        )
    }
}
