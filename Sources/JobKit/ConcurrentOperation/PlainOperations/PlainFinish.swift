import Dispatch
import Foundation

/// What a finished plain operation leaves: its listeners, its dependents and its queue, which hear
/// of the finish in that order.
struct PlainFinish: Sendable {
    let operation: Operation
    let queue: (any PollingQueue)?
    /// Where it stood in the queue; nil if it had no place there yet.
    let ticket: TaskQueueTicket?
    let listeners: FinishAudience.Listeners
    let dependents: [DependencyEdge]
    let dependencies: OperationsEnd?
    let hook: FinishHook?

    /// Tells the listeners; the thread that made the frame delivers to the first.
    func tellListeners(in frame: inout StartFrame) {
        for listener in listeners {
            listener.operationFinished(hasFailed: false)
            if frame.delivery == nil {
                frame.delivery = listener
            } else {
                listener.deliverElsewhere()
            }
        }
    }

    /// Tells listeners and dependents, on a thread that may have user's code on its stack, and
    /// gives the operation's place away.
    func tellElsewhere() {
        for listener in listeners {
            listener.operationFinished(hasFailed: false)
            listener.deliverElsewhere()
        }
        if endDependents() { leaveQueue() }
    }

    /// Ends the waits of the dependents, and what the operation itself waited for.
    ///
    /// Foundation may be in the middle of telling the operation's dependents, on this thread or on
    /// another, and the plain ones are ready only then. So the place is given away later where one
    /// of them is not ready yet.
    ///
    /// - Returns: Whether the caller gives the place away.
    func endDependents() -> Bool {
        let rechecks = ReadinessRecheck.collect {
            _ = hook?.detach()
            releaseDependencies()
            for edge in dependents { edge.end() }
        }
        guard let first = rechecks.first else { return true }
        (queue ?? first.queue).pollQueue
            .async {
                ReadinessRecheck.run(rechecks, mayPause: true)
                leaveQueue()
            }
        return false
    }

    /// Gives the operation's place in its queue away; one that it has not been given yet is given
    /// away by the thread that adds the operation.
    func leaveQueue() {
        guard let queue, let ticket = ticket ?? PlainOperations.finishTold(of: operation) else {
            return
        }
        queue.operationFinished(ticket)
    }

    /// The caller, a worker, gives the place away.
    func placeIsGivenAway() {
        if queue != nil, ticket == nil { _ = PlainOperations.finishTold(of: operation) }
    }

    /// Makes Foundation forget the operation where it waits no longer.
    ///
    /// On Linux an operation knows its dependents without retaining them: one that was cancelled,
    /// and is freed before it would have been ready, would be used after free. A dependency that
    /// says that it has finished may not have told Foundation yet, so a cancelled operation lets
    /// go of those as well.
    private func releaseDependencies() {
        #if !canImport(Darwin)
        let isCancelled = operation.isCancelled
        for dependency in operation.dependencies where isCancelled || !dependency.isFinished {
            operation.removeDependency(dependency)
        }
        #endif
    }
}
