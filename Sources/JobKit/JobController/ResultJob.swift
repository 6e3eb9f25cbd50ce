// Operation forces @unchecked. `storage` is written under the lock of JobShell when the end is
// decided, and read after the atomic lifecycle of the operation shows that it has finished.
/// A job that finishes with a value.
///
/// A subclass calls ``finish(returning:)`` in any of its callbacks. Otherwise, the job fails with
/// ``MissingResultError``, unless `Success` is `Void`.
open class ResultJob<Success: Sendable>: JobController, ValueProducing, @unchecked Sendable {
    private var storage = ResultStorage<Success>()

    /// Ends the job with a value, cancels its unfinished tasks and waits for them.
    ///
    /// Ignored if the job has already failed, been cancelled or been finished.
    public final func finish(returning value: Success) {
        shell.end(self, .finishedEarly) { storage.value = value }
    }

    /// The value, or the error if there is none, or nil until the outcome is decided.
    public final var result: Result<Success, any Error>? {
        outcome?.result { storage.success(of: self) }
    }

    /// Waits for the job and returns its value.
    ///
    /// Does not start the job. In a cancelled Swift task it keeps waiting, as `Task.value` does,
    /// and cancels nothing.
    ///
    /// - Throws: The job's error, `CancellationError` if it was cancelled, or
    ///   ``MissingResultError`` if it finished without a value.
    public final var value: Success {
        get async throws { try await awaitedValue() }
    }

    override var errorOfMissingValue: (any Error)? { storage.errorOfMissingValue(in: self) }
}
