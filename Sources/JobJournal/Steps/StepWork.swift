import JobKit

/// What a step does where its outcome is not known.
enum StepWork<Output: Sendable>: Sendable {
    case body(@Sendable (StepContext) async throws -> Output)
    case making(@Sendable (StepContext) -> MadeOperation<Output>)
}

/// An operation that a step was given, and where its value comes from.
struct MadeOperation<Output: Sendable>: Sendable {
    let operation: ConcurrentOperation
    /// Called when the operation has finished as a success.
    let result: @Sendable () -> Result<Output, any Error>?
}

extension MadeOperation {
    init<Made: ValueProducing>(_ made: Made) where Made.Success == Output {
        self.init(operation: made) { made.result }
    }
}

extension MadeOperation<Void> {
    /// Any operation, whose success is all there is to know.
    init(anyOperation operation: ConcurrentOperation) {
        self.init(operation: operation) { .success(()) }
    }
}
