// Operation forces @unchecked. `storage` is written by the `finish` that won, before the
// operation's atomic word shows it, and is read only after that.
/// A ``ConcurrentOperation`` that finishes with a value.
///
/// A subclass overrides `main()` and ends its work with ``finish(returning:)`` or
/// ``ConcurrentOperation/finish(with:)``. Finishing without a value is a failure with
/// ``MissingResultError``,
/// unless `Success` is `Void`.
open class ResultOperation<Success: Sendable>: ConcurrentOperation, @unchecked Sendable {
    private var storage = ResultStorage<Success>()

    /// Ends the operation with a value.
    ///
    /// Ignored if the operation was already finished.
    public final func finish(returning value: Success) {
        resolve(.succeeded, hasValue: true) { storage.value = value }
    }

    /// Ends the operation with a value or an error.
    final func finish(_ result: Result<Success, any Error>) {
        switch result {
        case .success(let value): finish(returning: value)
        case .failure(let error): finish(with: error)
        }
    }

    /// The value or the reason why there is none, or nil until the outcome is decided.
    ///
    /// If the operation was cancelled, the result is a failure with `CancellationError`.
    public final var result: Result<Success, any Error>? {
        outcome?.result { storage.success(of: self) }
    }

    /// Waits for the operation and returns its value.
    ///
    /// This does not start the operation. It throws at once if the operation was cancelled before
    /// it was started. If the waiting Swift task is cancelled, it continues to wait, as with
    /// `Task.value`, and cancels nothing.
    ///
    /// - Throws: The operation's error, `CancellationError` if it was cancelled, or
    ///   ``MissingResultError`` if it finished without a value.
    public final var value: Success {
        get async throws { try await awaitedValue() }
    }

    override var errorOfMissingValue: (any Error)? { storage.errorOfMissingValue(in: self) }
}

extension ResultOperation: ValueProducing {}
