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
        send { $0.machine.suspensionChanged(to: isSuspended) }
    }

    func changeLimit(to concurrencyLimit: Int) {
        readPriorities()
        let becameLimited = send { state in
            let wasUnlimited = state.machine.concurrencyLimit == Int.max
            state.machine.limitChanged(to: concurrencyLimit)
            updateNeedsLending(state)
            return wasUnlimited && concurrencyLimit < Int.max
        }
        if becameLimited { findWaitingJobs() }
    }

    func cancelAll() {
        CancelSweep.cancel(ask { $0.machine.entriesToCancel })
    }

    /// Checks ten times a second for plain operations that were cancelled by `cancel()` alone.
    ///
    /// The checks end when the queue contains no plain operations.
    func findCancelledLater() {
        let pause = DispatchTimeInterval.milliseconds(ReadinessPolls.longestPause)
        pollQueue.asyncAfter(deadline: .now() + pause) { [weak self] in
            guard let self, let operations = ask({ $0.plainOperationsToCheck() }) else { return }
            for operation in operations where operation.isCancelled {
                operationCancelled(operation)
            }
            findCancelledLater()
        }
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
