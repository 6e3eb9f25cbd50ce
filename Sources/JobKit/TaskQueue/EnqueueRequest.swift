import Foundation

extension TaskQueueState {
    /// An operation about to be enqueued, with its priority and readiness.
    struct EnqueueRequest {
        let operation: Operation
        let priority: OperationPriority
        let isReady: Bool
        let isBarrier: Bool
        let isConcurrent: Bool
        /// The job that has just begun to wait for the operation, if that job was started in this
        /// queue.
        let job: ConcurrentOperation?

        init(
            _ operation: Operation,
            isBarrier: Bool = false,
            job: ConcurrentOperation? = nil
        ) {
            self.isBarrier = isBarrier
            isConcurrent = operation.notifiesQueue
            self.job = job
            priority = OperationPriority(of: operation)
            isReady = operation.isReady
            // The last use of the parameter, so no additional retain is needed.
            self.operation = operation
        }

        /// Whether the operation may have been cancelled, or its priority set, since the priority
        /// was read.
        ///
        /// The operation's own properties would take Foundation's lock. The worker that starts the
        /// operation at the same time would have to wait for that lock.
        var mayHaveChanged: Bool {
            guard isConcurrent else { return true }
            let operation = unsafeDowncast(operation, to: ConcurrentOperation.self)
            return operation.flags.contains(.prioritized) || operation.isCancelled
        }
    }
}
