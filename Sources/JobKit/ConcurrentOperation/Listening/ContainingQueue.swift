import Foundation

/// A queue that contains operations, as operations see it.
protocol ContainingQueue: AnyObject, Sendable {
    /// Called when an operation may have become ready.
    func operationBecameReady(_ operation: Operation)

    /// Called when an operation was cancelled.
    func operationCancelled(_ operation: Operation)

    /// Called when an operation's `queuePriority` was set.
    func operationPriorityChanged(_ operation: Operation)

    /// Returns a function with the reasons why operations of this queue have not been started.
    ///
    /// The function serves many operations, so that a report reads the queue only once. It takes no
    /// lock that a callback could hold.
    func reasonsNotStarted(at now: CoarseTime) -> (Operation) -> String?

    /// Called when an operation has finished on a thread that does not release its permit itself.
    ///
    /// The default does nothing, because operations that only wait have no permit.
    func operationFinished(_ operation: ConcurrentOperation)
}

extension ContainingQueue {
    func operationFinished(_ operation: ConcurrentOperation) {}
}
