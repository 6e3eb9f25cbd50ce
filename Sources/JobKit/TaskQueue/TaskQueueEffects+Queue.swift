import Dispatch
import Foundation
import Synchronization

/// What concerns the queue as a whole.
extension TaskQueueEffects {
    func changeWidth(to width: Int) {
        let becomesLimited =
            width < Int.max && !asksForLenders.exchange(true, ordering: .acquiringAndReleasing)
        send { $0.machine.widthChanged(to: width) }
        if becomesLimited { findAllLenders() }
    }

    func cancelAll() {
        for operation in state.withLock({ $0.machine.entries }) {
            operation.cancel()
            if !(operation is ConcurrentOperation) { lookWhetherReady(operation) }
        }
    }

    func waitUntilIdle() {
        let waiter = state.withLock { state -> DispatchSemaphore? in
            guard state.machine.count > 0 else { return nil }
            let waiter = DispatchSemaphore(value: 0)
            state.idleWaiters.append(waiter)
            return waiter
        }
        waiter?.wait()
    }
}
