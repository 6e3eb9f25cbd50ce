import Foundation

/// The state that a finished plain operation leaves behind.
///
/// Its listeners, its dependents and its queue are notified in this order.
struct PlainFinish: Sendable {
    let operation: Operation
    let queue: (any ContainingQueue)?
    /// Its ticket in the queue, or nil if it had none yet.
    let ticket: TaskQueueTicket?
    let subscribers: FinishSubscribers
    /// The operations for which it still waits.
    let dependencies: [OperationDependencies.Dependency]
    let hook: FinishHook?

    /// Notifies listeners and dependents, and releases the operation's permit.
    ///
    /// Called on a thread that may have user code on its stack.
    func notifyElsewhere() {
        if let ticket = notify({ _ in false }) { queue?.operationFinished(ticket) }
        subscribers.resumeWaiters()
    }

    /// Notifies listeners and dependents.
    ///
    /// Called on the thread that started the operation and releases its permit itself.
    ///
    /// - Parameter frame: Takes the delivery and the waiters.
    func notify(in frame: inout StartFrame) {
        _ = notify { frame.take($0) }
        frame.hasEnded = true
        if frame.isStartedByWorker {
            frame.waiters = subscribers.waiters
        } else {
            subscribers.resumeWaiters()
        }
    }

    /// Notifies listeners, and ends the waits of the dependents and the operation's own waits.
    ///
    /// Foundation may be notifying plain dependents at the same time, on this thread or on another.
    ///
    /// - Parameter takes: Whether the caller delivers to a listener. If not, another thread does.
    /// - Returns: The operation's ticket in its queue.
    private func notify(_ takes: (OperationListener) -> Bool) -> TaskQueueTicket? {
        subscribers.notifyListeners(hasFailed: false, takes)
        _ = hook?.detach()
        OperationDependencies.leave(dependencies)
        releaseDependencies()
        subscribers.endDependents()
        return queue == nil ? nil : ticket ?? PlainOperations.finishNotified(of: operation)
    }

    /// Removes the operation from dependencies for which it no longer waits.
    ///
    /// On Linux, an operation knows its dependents without retaining them. If a dependent was
    /// cancelled and is freed before all its dependencies have finished, Foundation would use it
    /// after it is freed. A dependency whose `isFinished` is true may not have notified Foundation
    /// yet. Therefore, a cancelled operation is removed from such dependencies, too.
    private func releaseDependencies() {
        #if !canImport(Darwin)
        let isCancelled = operation.isCancelled
        for dependency in operation.dependencies where isCancelled || !dependency.isFinished {
            operation.removeDependency(dependency)
        }
        #endif
    }
}
