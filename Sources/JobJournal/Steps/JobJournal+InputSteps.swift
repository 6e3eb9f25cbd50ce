import JobKit

/// Steps whose outcome depends on an input, which is recorded with it.
///
/// A step whose input is not the recorded one fails with ``JobJournal/JobJournal/InputChangedError`` and does not run. A
/// `Set`, or a dictionary with other keys than strings and integers, has no order of its own: sort
/// it first.
extension JobJournal {
    /// A step that runs a closure and records its value.
    ///
    /// - Parameters:
    ///   - key: The step's name in its scope: any text, the same in all lives.
    ///   - input: What the outcome depends on; encoded as JSON with sorted keys, and compared.
    ///   - version: Another version forgets the recorded outcome, and runs again.
    ///   - body: The work, which runs in a `Task` of its own; only if no outcome is known.
    /// - Returns: The step, which has not been started.
    public func step<Input: Codable & Sendable, Output: Codable & Sendable>(
        _ key: String,
        input: Input,
        version: Int = 1,
        _ body: @escaping @Sendable (Input, StepContext) async throws -> Output
    ) -> DurableOperation<Output> {
        step(
            key,
            version,
            input: { try Coders.input.encode(input) },
            .json,
            .body { try await body(input, $0) }
        )
    }

    /// A step that runs an operation, a job or a retry of either, and records its value.
    ///
    /// - Parameters:
    ///   - key: The step's name in its scope: any text, the same in all lives.
    ///   - input: What the outcome depends on; encoded as JSON with sorted keys, and compared.
    ///   - version: Another version forgets the recorded outcome, and runs again.
    ///   - making: Creates what runs; called only if no outcome is known, on the thread that
    ///     starts the step or one of JobKit's.
    /// - Returns: The step, which has not been started.
    public func step<Input: Codable & Sendable, Made: ValueProducing>(
        _ key: String,
        input: Input,
        version: Int = 1,
        making: @escaping @Sendable (Input, StepContext) -> Made
    ) -> DurableOperation<Made.Success> where Made.Success: Codable {
        step(
            key,
            version,
            input: { try Coders.input.encode(input) },
            .json,
            .making { MadeOperation(making(input, $0)) }
        )
    }

    /// A step that runs a closure and records that it has succeeded.
    ///
    /// - Parameters:
    ///   - key: The step's name in its scope: any text, the same in all lives.
    ///   - input: What the outcome depends on; encoded as JSON with sorted keys, and compared.
    ///   - version: Another version forgets the recorded outcome, and runs again.
    ///   - body: The work, which runs in a `Task` of its own; only if no outcome is known.
    /// - Returns: The step, which has not been started.
    @_disfavoredOverload
    public func step<Input: Codable & Sendable>(
        _ key: String,
        input: Input,
        version: Int = 1,
        _ body: @escaping @Sendable (Input, StepContext) async throws -> Void
    ) -> DurableOperation<Void> {
        step(
            key,
            version,
            input: { try Coders.input.encode(input) },
            .nothing,
            .body { try await body(input, $0) }
        )
    }

    /// A step that runs an operation or a job and records that it has succeeded.
    ///
    /// - Parameters:
    ///   - key: The step's name in its scope: any text, the same in all lives.
    ///   - input: What the outcome depends on; encoded as JSON with sorted keys, and compared.
    ///   - version: Another version forgets the recorded outcome, and runs again.
    ///   - making: Creates what runs; called only if no outcome is known, on the thread that
    ///     starts the step or one of JobKit's.
    /// - Returns: The step, which has not been started.
    @_disfavoredOverload
    public func step<Input: Codable & Sendable>(
        _ key: String,
        input: Input,
        version: Int = 1,
        making: @escaping @Sendable (Input, StepContext) -> ConcurrentOperation
    ) -> DurableOperation<Void> {
        step(
            key,
            version,
            input: { try Coders.input.encode(input) },
            .nothing,
            .making { MadeOperation(anyOperation: making(input, $0)) }
        )
    }
}
