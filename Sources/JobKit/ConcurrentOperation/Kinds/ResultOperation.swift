// Operation forces @unchecked. `storage` is written by the finish that won, before the atomic word
// of the operation says so, and read after.
/// A ``ConcurrentOperation`` that finishes with a value.
///
/// A subclass overrides `main()` and ends its work with ``finish(returning:)`` or
/// ``ConcurrentOperation/finish(with:)``. Finishing without a value is a failure with ``MissingResultError``,
/// unless `Success` is `Void`.
open class ResultOperation<Success: Sendable>: ConcurrentOperation, @unchecked Sendable {
    private var storage = ResultStorage<Success>()

    /// Ends the operation with a value.
    ///
    /// Ignored if the operation was already finished.
    public final func finish(returning value: Success) {
        settle(.succeeded) { storage.value = value }
    }

    /// Ends the operation with a value or an error.
    final func finish(_ result: Result<Success, any Error>) {
        switch result {
        case .success(let value): finish(returning: value)
        case .failure(let error): finish(with: error)
        }
    }

    /// The value, or why there is none; nil until the operation has finished.
    ///
    /// A cancelled operation gives `CancellationError`.
    public final var result: Result<Success, any Error>? {
        // Not `storage.result(of:)` as a value, which would read the storage before the finish too.
        outcome.map { storage.result(of: $0) }
    }

    /// Waits for the operation and returns its value.
    ///
    /// Does not start the operation. Throws at once if the operation was cancelled before it was
    /// started. In a cancelled task it keeps waiting, as `Task.value` does, and cancels nothing.
    ///
    /// - Throws: The operation's error; `CancellationError` if it was cancelled; ``MissingResultError`` if it
    ///   finished without a value.
    public final var value: Success {
        get async throws { try await awaitedValue() }
    }

    override var errorOfMissingValue: (any Error)? { storage.errorOfMissingValue }
}

extension ResultOperation: ValueProducing {}

/// An operation that ends with a value: a ``ResultOperation``, a ``ResultJob``, or a
/// ``RetryOperation`` of either.
///
/// What takes such an operation takes each of them, as
/// ``JobController/trackAndQueue(_:on:group:cancellation:weight:failure:onSuccess:)`` does. Types
/// of JobKit's conform, and a later version may add requirements: derive from one of them instead
/// of conforming.
public protocol ValueProducing<Success>: ConcurrentOperation {
    /// The type of the value.
    associatedtype Success: Sendable

    /// The value, or why there is none; nil until the operation has finished.
    ///
    /// A cancelled operation gives `CancellationError`.
    var result: Result<Success, any Error>? { get }

    /// Waits for the operation, without starting it, and returns its value.
    ///
    /// - Throws: The operation's error; `CancellationError` if it was cancelled; ``MissingResultError`` if it
    ///   finished without a value.
    var value: Success { get async throws }
}

extension ValueProducing {
    /// Waits for the operation, unless it was cancelled before it was started, and returns its
    /// value.
    func awaitedValue() async throws -> Success {
        await waitUntilSettled()
        guard let result else { throw CancellationError() }
        return try result.get()
    }
}

/// The value of an operation that owes one.
struct ResultStorage<Success: Sendable>: Sendable {
    var value: Success?

    /// What a finish without a value means: nothing is missing where the value is `Void`.
    var errorOfMissingValue: (any Error)? {
        value == nil && Success.self != Void.self ? MissingResultError() : nil
    }

    /// The result of an operation that ended with `outcome`.
    func result(of outcome: OperationOutcome) -> Result<Success, any Error> {
        switch outcome {
        case .cancelled: .failure(CancellationError())
        case .failed(let error): .failure(error)
        case .succeeded:
            (value ?? () as? Success).map { .success($0) } ?? .failure(MissingResultError())
        }
    }
}
