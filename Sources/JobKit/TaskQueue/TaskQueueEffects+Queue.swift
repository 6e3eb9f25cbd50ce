import Dispatch
import Foundation
import Synchronization

/// What concerns the queue as a whole.
extension TaskQueueEffects {
    func changeWidth(to width: Int) {
        if width < Int.max { asksForLenders.store(true, ordering: .sequentiallyConsistent) }
        let wasUnlimited = send { state in
            defer { state.machine.widthChanged(to: width) }
            return state.machine.width == Int.max
        }
        if wasUnlimited, width < Int.max { findAllLenders() }
    }

    func cancelAll() {
        for operation in state.withLock({ $0.machine.entriesToCancel }) {
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
