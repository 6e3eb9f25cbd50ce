/// Callbacks that one thread at a time runs: those of a job.
///
/// All that the operations and their queues know of a job: a finish claims the delivery, and the
/// thread that has claimed it sees that the callbacks run.
protocol CallbackDelivery: AnyObject, Sendable {
    /// Notes that there is something to deliver; returns whether the caller must deliver it.
    ///
    /// The job is busy then, of which the caller tells what is left in `news`.
    func claimDelivery(_ news: inout PlaceNews) -> Bool

    /// Delivers on this thread, having claimed to.
    ///
    /// - Parameter news: Holds the job where it waits now and the caller has to tell of it.
    /// - Returns: Where something is to be delivered now, as claimed by the finish of the job.
    func deliverClaimed(_ news: inout PlaceNews) -> (any CallbackDelivery)?

    /// Delivers on another thread, having claimed to.
    func deliverClaimedElsewhere()
}

extension CallbackDelivery {
    /// Notes that there is something to deliver; returns whether the caller must deliver it.
    func claimDelivery() -> Bool {
        var news = PlaceNews()
        return claimDelivery(&news)
    }

    /// Delivers on this thread, having claimed to; goes on with the jobs that so finish, one after
    /// another.
    func deliverAll() {
        var news = PlaceNews()
        deliverAll(&news)
    }

    /// Delivers as ``deliverAll()`` does; the caller tells of the job that waits then.
    func deliverAll(_ news: inout PlaceNews) {
        var next = deliverClaimed(&news)
        while let delivery = next { next = delivery.deliverClaimed(&news) }
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
