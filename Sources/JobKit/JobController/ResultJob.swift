// Operation forces @unchecked. `storage` is written under the lock of JobEffects by the finish that
// decides the end, and read after the atomic word of the operation says that it has finished.
/// A job that ends with a value.
///
/// The job finishes with ``finish(returning:)``, from any of its callbacks; without it, it fails
/// with ``NoResult``, unless `Success` is `Void`.
open class ResultJob<Success: Sendable>: JobController, @unchecked Sendable {
    private var storage = ResultStorage<Success>()

    /// Ends the job early with a value: the rest of its tasks is cancelled and waited for.
    ///
    /// Ignored if the job has failed, was cancelled or was finished before.
    public final func finish(returning value: Success) {
        effects.end(self, .finishedEarly) { storage.value = value }
    }

    /// The value, or why there is none; nil until the job has finished.
    public final var result: Result<Success, any Error>? {
        outcome.map(storage.result(of:))
    }

    /// Waits for the job, which somebody starts, and returns its value.
    ///
    /// In a cancelled task it goes on waiting, as `Task.value` does, and cancels nothing.
    ///
    /// - Throws: The job's error; `CancellationError` if it was cancelled; ``NoResult`` if it
    ///   finished without a value.
    public final var value: Success {
        get async throws {
            await waitUntilSettled()
            guard let result else { throw CancellationError() }
            return try result.get()
        }
    }

    override var errorOfMissingValue: (any Error)? { storage.errorOfMissingValue }
}
