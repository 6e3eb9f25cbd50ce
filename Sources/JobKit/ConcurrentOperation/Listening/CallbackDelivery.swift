/// A worker of a queue, as far as operations know it: handed on to what the worker delivers to.
class DeliveringWorker {}

/// Callbacks that one thread at a time runs: those of a job.
///
/// All that the operations and their queues know of a job: a finish claims the delivery, and the
/// thread that has claimed it sees that the callbacks run.
protocol CallbackDelivery: AnyObject, Sendable {
    /// Notes that there is something to deliver.
    ///
    /// - Parameter worker: The worker that calls; nil on other threads.
    /// - Returns: Whether the caller must deliver it.
    func claimDelivery(by worker: DeliveringWorker?) -> Bool

    /// Delivers on this thread, having claimed to.
    ///
    /// - Parameter worker: The worker that calls; nil on other threads.
    /// - Returns: Where something is to be delivered now, as claimed by the finish of the job.
    func deliverClaimed(by worker: DeliveringWorker?) -> (any CallbackDelivery)?

    /// Delivers on another thread, having claimed to.
    func deliverClaimedElsewhere()
}

extension CallbackDelivery {
    /// Notes that there is something to deliver; returns whether the caller must deliver it.
    func claimDelivery() -> Bool { claimDelivery(by: nil) }

    /// Delivers on this thread, having claimed to; goes on with the jobs that so finish, one after
    /// another.
    func deliverAll(by worker: DeliveringWorker? = nil) {
        var next = deliverClaimed(by: worker)
        while let delivery = next { next = delivery.deliverClaimed(by: worker) }
    }

    /// Delivers on this thread, which has no user code on its stack, unless another thread does.
    func deliverHere() {
        if claimDelivery() { deliverAll() }
    }

    /// Delivers on another thread if none does already; where this thread collects deliveries, it
    /// delivers itself in the end.
    func deliverElsewhere() {
        let context = ThreadContext.current
        guard context.pointee.heldDeliveries == nil else {
            context.pointee.heldDeliveries?.append(self)
            return
        }
        if claimDelivery() { deliverClaimedElsewhere() }
    }
}
