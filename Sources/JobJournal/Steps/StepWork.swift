import JobKit

/// The work of a step, which runs only if no outcome is recorded.
enum StepWork<Output: Sendable>: Sendable {
    /// An `async` closure.
    case body(@Sendable (StepContext) async throws -> Output)
    /// A closure that creates an operation, which the step runs as its task.
    case making(@Sendable (StepContext) -> MadeOperation<Output>)
}

/// An operation that a step runs, and the source of its value.
struct MadeOperation<Output: Sendable>: Sendable {
    let operation: ConcurrentOperation
    /// Called after the operation has succeeded.
    let result: @Sendable () -> Result<Output, any Error>?
}

extension MadeOperation {
    init<Made: ValueProducing>(_ made: Made) where Made.Success == Output {
        self.init(operation: made) { made.result }
    }
}

extension MadeOperation<Void> {
    /// Wraps an operation of any class.
    ///
    /// Only its success counts.
    init(anyOperation operation: ConcurrentOperation) {
        self.init(operation: operation) { .success(()) }
    }
}
