import Foundation

/// The queue that an operation stands in, as far as operations know it.
protocol QueueHome: AnyObject, Sendable {
    /// The operation may have become ready.
    func operationBecameReady(_ operation: Operation)

    /// The operation was cancelled.
    func operationCancelled(_ operation: Operation)

    /// The operation's `queuePriority` was set.
    func operationPriorityChanged(_ operation: Operation)

    /// Why operations that are in the queue have not been started.
    ///
    /// One answer serves many operations, so that a report reads the queue once. It takes no lock
    /// that a callback could hold.
    func reasonsNotStarted(at now: CoarseTime) -> (Operation) -> String?

    /// The operation has finished on a thread that is not about to give its permit back.
    func operationFinished(_ operation: ConcurrentOperation)
}
