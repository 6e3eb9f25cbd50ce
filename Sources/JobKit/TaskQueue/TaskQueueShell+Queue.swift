import Dispatch
import Foundation
import Synchronization

/// Operations on the queue as a whole.
extension TaskQueueShell {
    /// The task queue that contains an operation.
    static func queue(of operation: Operation) -> TaskQueueShell? {
        operation.containingQueue as? TaskQueueShell
    }

    func reasonsNotStarted(at now: CoarseTime) -> (Operation) -> String? {
        QueueStall(self).reason
    }

    func suspend(_ isSuspended: Bool) {
        if !isSuspended { readPriorities() }
        send { $0.machine.isSuspended = isSuspended }
    }

    func changeLimit(to concurrencyLimit: Int) {
        readPriorities()
        if send({ $0.machine.limitChanged(to: concurrencyLimit) }) { findWaitingJobs() }
    }

    /// Cancels the waiting operations and then the executing ones.
    ///
    /// Therefore, a permit that becomes free finds nothing left to run.
    func cancelAll() {
        let operations = ask { state in
            state.machine.entries { $0.state != .executing }
                + state.machine.entries { $0.state == .executing }
        }
        CancelSweep.cancel(operations)
    }

    /// Blocks the thread until the queue is empty.
    func waitUntilIdle() {
        let semaphore = DispatchSemaphore(value: 0)
        if ask({ $0.idleAwaited { semaphore.signal() } }) { semaphore.wait() }
    }

    /// Suspends the Swift task until the queue is empty.
    func idle() async {
        await withUnsafeContinuation { continuation in
            if !ask({ $0.idleAwaited { continuation.resume() } }) { continuation.resume() }
        }
    }

    /// Reads the priorities of ready operations that do not notify the queue of a change.
    private func readPriorities() {
        for operation in ask({ $0.readyPlainOperations }) { operationPriorityChanged(operation) }
    }
}
