/// The value of an operation that owes one.
struct ResultStorage<Success: Sendable>: Sendable {
    var value: Success?

    /// What a finish without a value means: nothing is missing where the value is `Void`.
    var errorOfMissingValue: (any Error)? {
        value == nil && Success.self != Void.self ? NoResult() : nil
    }

    /// The result of an operation that ended with `outcome`.
    func result(of outcome: OperationOutcome) -> Result<Success, any Error> {
        switch outcome {
        case .cancelled: .failure(CancellationError())
        case .failed(let error): .failure(error)
        case .succeeded: (value ?? () as? Success).map { .success($0) } ?? .failure(NoResult())
        }
    }
}
