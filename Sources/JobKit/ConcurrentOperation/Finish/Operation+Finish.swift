import Foundation

extension Operation {
    /// Suspends the calling Swift task until the operation has finished.
    ///
    /// Works for an operation of any class, wherever it runs. This method blocks no thread, does
    /// not start the operation, and does not use its `completionBlock`. It returns at once if a
    /// ``ConcurrentOperation`` was cancelled before its start, because none of its code will run
    /// and it may never be started. A cancelled Swift task continues to wait, as with `Task.value`.
    ///
    /// When a job has finished, all of its callbacks have returned. However, if a task has
    /// finished, its job may call the callback for it a little later.
    ///
    /// > Thread: Any. Any number of Swift tasks may wait. The operation is retained until it has
    /// > finished.
    public final func waitForFinish() async { await waitForFinish(only: false) }

    /// Waits like ``waitForFinish()``.
    ///
    /// If `isForFinishOnly` is true, the cancellation of an operation that was not started does not
    /// end the wait.
    func waitForFinish(only isForFinishOnly: Bool) async {
        await withUnsafeContinuation { continuation in
            add(FinishWaiter(isForFinishOnly: isForFinishOnly) { continuation.resume() })
        }
    }
}
