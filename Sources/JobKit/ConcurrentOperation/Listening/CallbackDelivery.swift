/// Callbacks that only one thread at a time runs: those of a job.
///
/// This is all that operations and their queues use of a job. The completion of an operation claims
/// the delivery, and the thread that has claimed it ensures that the callbacks run.
protocol CallbackDelivery: AnyObject, Sendable {
    /// Records that there is something to deliver.
    ///
    /// - Returns: Whether the caller must deliver it.
    func claimDelivery() -> Bool

    /// Delivers on this thread.
    ///
    /// The caller must have claimed the delivery.
    ///
    /// - Returns: The next object to deliver to, already claimed because the job has finished, or
    ///   nil if there is none.
    func deliverClaimed() -> (any CallbackDelivery)?

    /// Delivers on another thread.
    ///
    /// The caller must have claimed the delivery.
    func deliverClaimedElsewhere()
}

extension CallbackDelivery {
    /// Delivers on this thread, and then delivers to the jobs that finish as a result, one by one.
    ///
    /// The caller must have claimed the delivery.
    func deliverAll() {
        var next = deliverClaimed()
        while let delivery = next { next = delivery.deliverClaimed() }
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
