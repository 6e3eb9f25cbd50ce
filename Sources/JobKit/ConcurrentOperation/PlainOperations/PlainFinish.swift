import Dispatch
import Foundation

/// The state that a finished plain operation leaves behind.
///
/// Its listeners, its dependents and its queue are notified in this order.
struct PlainFinish: Sendable {
    let operation: Operation
    let queue: (any ContainingQueue)?
    /// Its ticket in the queue, or nil if it had none yet.
    let ticket: TaskQueueTicket?
    let listeners: FinishSubscribers.Listeners
    let dependents: [DependencyEdge]
    let waiters: [FinishWaiter]
    let dependencies: CompletionGroup?
    let hook: FinishHook?

    /// Notifies the listeners.
    ///
    /// The thread that created the frame delivers to the first one.
    func notifyListeners(in frame: inout StartFrame) {
        for listener in listeners {
            listener.operationFinished(hasFailed: false)
            if frame.delivery == nil {
                frame.delivery = listener
            } else {
                listener.deliverElsewhere()
            }
        }
    }

    /// Notifies listeners and dependents, and releases the operation's permit.
    ///
    /// Called on a thread that may have user code on its stack.
    func notifyElsewhere() {
        for listener in listeners {
            listener.operationFinished(hasFailed: false)
            listener.deliverElsewhere()
        }
        endDependents()
        if let queue, let ticket = ticket ?? PlainOperations.finishNotified(of: operation) {
            queue.operationFinished(ticket)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Called by a thread that started the operation and releases its permit itself.
    func starterReleasesPermit(in frame: inout StartFrame) {
        if queue != nil, ticket == nil { _ = PlainOperations.finishNotified(of: operation) }
        frame.hasEnded = true
        frame.waiters = waiters
        if !frame.isStartedByWorker { frame.resumeWaiters() }
    }

    /// Ends the waits of the dependents, and the operation's own waits.
    ///
    /// Foundation may be notifying plain dependents at the same time, on this thread or on another.
    func endDependents() {
        _ = hook?.detach()
        releaseDependencies()
        for edge in dependents { edge.end() }
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
