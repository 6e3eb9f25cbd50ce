import Foundation

extension TaskQueueState {
    /// An operation that is to stand in the queue, and what it said of itself on its way in.
    struct Arrival {
        let operation: Operation
        let priority: TaskPriority
        let isReady: Bool
        let isBarrier: Bool
        let isConcurrent: Bool
        /// The job that has just begun to wait for it, if that was started in this queue.
        ///
        /// Not retained: the thread that adds the operation holds the job.
        let job: Unmanaged<ConcurrentOperation>?

        init(
            _ operation: Operation,
            isBarrier: Bool = false,
            job: Unmanaged<ConcurrentOperation>? = nil
        ) {
            self.isBarrier = isBarrier
            isConcurrent = operation is ConcurrentOperation
            self.job = job
            priority = TaskPriority(of: operation)
            isReady = operation.isReady
            // Its last use, which needs no reference of its own.
            self.operation = operation
        }

        /// Tells the operation where it stands; returns false if it has finished meanwhile.
        func isPlaced(at ticket: TaskQueueTicket) -> Bool {
            isConcurrent || PlainOperations.placed(operation, at: ticket)
        }

        /// Whether its priority may have been set since it was read, or it was cancelled.
        ///
        /// Asking the operation itself takes Foundation's lock, for which the worker that starts it
        /// meanwhile would have to wait.
        var mayHaveChanged: Bool {
            guard isConcurrent else { return true }
            let operation = unsafeDowncast(operation, to: ConcurrentOperation.self)
            return !operation.currentLifecycle.isDisjoint(with: [.prioritized, .cancelled])
        }

        /// Whether other jobs may already be waiting for it.
        var isShared: Bool {
            guard isConcurrent else { return true }
            return unsafeDowncast(operation, to: ConcurrentOperation.self).isShared
        }
    }
}
