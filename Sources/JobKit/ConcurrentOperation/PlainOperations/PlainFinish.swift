import Dispatch
import Foundation

/// What a finished plain operation leaves: its listeners, its dependents and its queue, which hear
/// of the finish in that order.
struct PlainFinish: Sendable {
    let operation: Operation
    let queue: (any PollingQueue)?
    /// Its place in the queue; nil if it had none yet, and the thread that adds it takes it out.
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

    /// Notifies listeners and dependents, on a thread that may have user's code on its stack, and
    /// frees the operation's permit.
    func tellElsewhere() {
        for listener in listeners {
            listener.operationFinished(hasFailed: false)
            listener.deliverElsewhere()
        }
        endDependents()
        if let ticket { queue?.operationFinished(ticket) }
    }

    /// Ends the waits of the dependents, and what the operation itself waited for.
    ///
    /// Foundation may be in the middle of notifying plain dependents, on this thread or on another.
    func endDependents() {
        let rechecks = ReadinessRecheck.collect {
            _ = hook?.detach()
            releaseDependencies()
            for edge in dependents { edge.end() }
        }
        guard let first = rechecks.first else { return }
        (queue ?? first.queue).pollQueue.async { ReadinessRecheck.run(rechecks) }
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
