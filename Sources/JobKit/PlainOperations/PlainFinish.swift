import Dispatch
import Foundation

/// What a plain operation leaves that has finished: whom to tell, in order.
struct PlainFinish: Sendable {
    let operation: Operation
    let queue: (any QueueHome)?
    /// Where it stood in the queue; nil if it had no place there yet.
    let ticket: TaskQueueTicket?
    let subscribers: ListenerSet<OperationListener>
    let dependents: ListenerSet<DependencyEdge>
    let dependencies: OperationsEnd?
    let hook: FinishHook?

    /// Tells the jobs; returns one that the caller, who has no user's code on its stack, delivers
    /// to.
    func tellJobs() -> (any CallbackDelivery)? {
        var claimed: (any CallbackDelivery)?
        for listener in subscribers {
            listener.operationFinished()
            if claimed != nil {
                listener.deliverElsewhere()
            } else if listener.claimDelivery() {
                claimed = listener
            }
        }
        return claimed
    }

    /// Tells those who wait, on a thread that may have user's code on its stack, and gives the
    /// operation's place away.
    func tellElsewhere() {
        for listener in subscribers {
            listener.operationFinished()
            listener.deliverElsewhere()
        }
        if endDependents() { leaveQueue() }
    }

    /// Ends the waits of those who depend on the operation, and what the operation waited for.
    ///
    /// Foundation may be in the middle of telling the operation's dependents, on this thread or on
    /// another, and the plain ones are ready only then. So the place is given away later where one
    /// of them is not ready yet.
    ///
    /// - Returns: Whether the caller gives the place away.
    func endDependents() -> Bool {
        let late = LateLook.collect {
            _ = hook?.detach()
            releaseUnfinishedDependencies()
            for edge in dependents { edge.end() }
        }
        guard let first = late.first else { return true }
        (queue ?? first.queue).lookQueue
            .async {
                LateLook.look(late, mayPause: true)
                leaveQueue()
            }
        return false
    }

    /// Gives the operation's place in its queue away.
    func leaveQueue() {
        guard let queue, let ticket else { return }
        queue.plainFinished(ticket)
    }

    /// Has Foundation forget the operation where it waits no longer.
    ///
    /// On Linux an operation knows its dependents without retaining them: one that was cancelled,
    /// and is freed before it would have been ready, would be used after free.
    private func releaseUnfinishedDependencies() {
        #if !canImport(Darwin)
        for dependency in operation.dependencies where !dependency.isFinished {
            operation.removeDependency(dependency)
        }
        #endif
    }
}
