import Foundation

extension Operation {
    private static let waiters = OperationQueue()

    /// Suspends the calling task until the operation has finished.
    ///
    /// For any operation and any `async` test; nothing blocks. It does not start the operation, and a
    /// cancelled task keeps waiting. A job's callbacks have returned when the job has finished; those
    /// about a single task may come just after the task's finish.
    public func waitForFinish() async {
        await withCheckedContinuation { continuation in
            let end = BlockOperation { continuation.resume() }
            end.addDependency(self)
            Self.waiters.addOperation(end)
        }
    }
}
