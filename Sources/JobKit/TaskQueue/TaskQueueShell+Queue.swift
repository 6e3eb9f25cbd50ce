import Dispatch
import Foundation
import Synchronization

/// What concerns the queue as a whole.
extension TaskQueueShell {
    func suspend(_ isSuspended: Bool) {
        if !isSuspended { readPriorities() }
        send { $0.machine.suspensionChanged(to: isSuspended) }
    }

    func changeWidth(to width: Int) {
        readPriorities()
        let wasUnlimited = send { state in
            let wasUnlimited = state.machine.width == Int.max
            state.machine.widthChanged(to: width)
            noteWhetherLendersMatter(state.machine.asksForLenders)
            return wasUnlimited
        }
        if wasUnlimited, width < Int.max { findAllLenders() }
    }

    func cancelAll() {
        for operation in state.withLock({ $0.machine.entriesToCancel }) {
            operation.cancel()
            if !(operation is ConcurrentOperation) { lookWhetherReady(operation) }
        }
    }

    /// Blocks the thread until the queue is empty.
    func waitUntilIdle() {
        let semaphore = DispatchSemaphore(value: 0)
        if mustWait(.thread(semaphore)) { semaphore.wait() }
    }

    /// Suspends the task until the queue is empty.
    func idle() async {
        await withUnsafeContinuation { continuation in
            if !mustWait(.task(continuation)) { continuation.resume() }
        }
    }

    private func mustWait(_ waiter: IdleWaiter) -> Bool {
        state.withLock { state in
            guard state.machine.count > 0 else { return false }
            state.idleWaiters.append(waiter)
            return true
        }
    }
}
