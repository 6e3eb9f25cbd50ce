import Foundation

extension Operation {
    /// Suspends the calling task until the operation has finished.
    ///
    /// Works for an operation of any class, wherever it runs. Blocks no thread, does not start the
    /// operation, and leaves its `completionBlock` alone. Returns at once if a
    /// ``ConcurrentOperation`` was cancelled before its start, because none of its code will run
    /// and it may never be started. A cancelled task keeps waiting, as with `Task.value`.
    ///
    /// When a job has finished, all of its callbacks have returned. A job's callback about a task
    /// may come just after the task's finish.
    ///
    /// > Thread: Any; any number of tasks may wait. Retains the operation until it has finished.
    public final func waitForFinish() async {
        if let concurrent = self as? ConcurrentOperation {
            return await concurrent.waitUntilSettled()
        }
        await withUnsafeContinuation { continuation in
            let hook = FinishHook { continuation.resume() }
            hook.watch(self)
        }
    }
}
