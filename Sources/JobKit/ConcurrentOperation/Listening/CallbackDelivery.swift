/// A worker of a queue, with its pending report to the queue about the job that it delivers to.
///
/// The worker sends the report together with its next request, so that both need the lock only
/// once. A thread that is not a worker of the job's queue reports at once.
final class DeliveringWorker {
    private let queue: ObjectIdentifier
    // Unchecked, because no other thread uses this worker. Each check costs instructions for each
    // task of a limited queue.
    /// The job that is about to run its own code.
    @exclusivity(unchecked) var busy: ConcurrentOperation?
    /// The job that has nothing to run until one of its tasks finishes.
    @exclusivity(unchecked) var waiting: ConcurrentOperation?

    init(of queue: any ContainingQueue) { self.queue = ObjectIdentifier(queue) }

    func isOf(_ queue: any ContainingQueue) -> Bool { self.queue == ObjectIdentifier(queue) }
}

/// Callbacks that only one thread at a time runs: those of a job.
///
/// This is all that operations and their queues use of a job. The completion of an operation claims
/// the delivery, and the thread that has claimed it ensures that the callbacks run.
protocol CallbackDelivery: AnyObject, Sendable {
    /// Records that there is something to deliver.
    ///
    /// - Parameter worker: The calling worker, or nil on other threads.
    /// - Returns: Whether the caller must deliver it.
    func claimDelivery(by worker: DeliveringWorker?) -> Bool

    /// Delivers on this thread.
    ///
    /// The caller must have claimed the delivery.
    ///
    /// - Parameter worker: The calling worker, or nil on other threads.
    /// - Returns: The next object to deliver to, already claimed because the job has finished, or
    ///   nil if there is none.
    func deliverClaimed(by worker: DeliveringWorker?) -> (any CallbackDelivery)?

    /// Delivers on another thread.
    ///
    /// The caller must have claimed the delivery.
    func deliverClaimedElsewhere()
}

extension CallbackDelivery {
    /// Records that there is something to deliver, and returns whether the caller must deliver it.
    func claimDelivery() -> Bool { claimDelivery(by: nil) }

    /// Delivers on this thread, and then delivers to the jobs that finish as a result, one by one.
    ///
    /// The caller must have claimed the delivery.
    func deliverAll(by worker: DeliveringWorker? = nil) {
        var next = deliverClaimed(by: worker)
        while let delivery = next { next = delivery.deliverClaimed(by: worker) }
    }

    /// Delivers on this thread, unless another thread does.
    ///
    /// No user code may be on the stack.
    func deliverHere() {
        if claimDelivery() { deliverAll() }
    }

    /// Delivers on another thread, unless a thread is already delivering.
    ///
    /// If this thread collects deliveries, it delivers itself at the end of its step.
    func deliverElsewhere() {
        let context = ThreadContext.current
        guard context.pointee.heldDeliveries == nil else {
            context.pointee.heldDeliveries?.append(self)
            return
        }
        if claimDelivery() { deliverClaimedElsewhere() }
    }
}
