import Synchronization

/// The permit of a started job: one of its queue's, which it lends while it only waits for its
/// tasks.
///
/// The job says when it begins to wait and when it has code of its own to run; the queue decides to
/// whom the permit is lent.
struct JobPermit: ~Copyable, Sendable {
    /// Retained; set before another thread can ask.
    private let queue = Atomic<Unmanaged<TaskQueueShell>?>(nil)
    /// Not retained: a started job keeps itself alive until it has finished.
    private let job = Atomic<Unmanaged<ConcurrentOperation>?>(nil)

    deinit {
        guard let queue = queue.load(ordering: .acquiring)?.takeRetainedValue() else { return }
        queue.jobCount.subtract(1, ordering: .sequentiallyConsistent)
    }

    /// The job is being started, in the queue in which it stands.
    func jobStarts(_ job: ConcurrentOperation) {
        guard let home = TaskQueueShell.queue(of: job) else { return }
        home.jobCount.add(1, ordering: .sequentiallyConsistent)
        self.job.store(.passUnretained(job), ordering: .relaxed)
        queue.store(.passRetained(home), ordering: .releasing)
    }

    /// Whether the permit is this queue's.
    func isIn(_ home: TaskQueueShell) -> Bool {
        queue.load(ordering: .acquiring)?.toOpaque() == Unmanaged.passUnretained(home).toOpaque()
    }

    /// The job has nothing to run until one of its tasks finishes.
    @inline(__always)
    func jobWaits(_ job: consuming any WaitingJob, _ worker: DeliveringWorker?) {
        tellQueue(worker) { queue, update in
            if let update { update.waiting = job } else { queue.send { $0.jobWaits(job) } }
        }
    }

    /// The job is about to run code of its own: the caller has its turn, and so it has not
    /// finished.
    @inline(__always)
    func jobBusy(_ worker: DeliveringWorker?) {
        tellQueue(worker) { queue, update in
            guard let job = job.load(ordering: .relaxed) else { return }
            if let update {
                update.busy = job
            } else {
                job._withUnsafeGuaranteedRef { job in queue.send { $0.jobBusy(job) } }
            }
        }
    }

    /// Has an idle worker of the queue deliver to the job; returns false if there is none.
    func deliverOnIdleWorker(_ delivery: any CallbackDelivery) -> Bool {
        queue.load(ordering: .acquiring)?.takeUnretainedValue().deliverOnIdleWorker(delivery)
            == true
    }

    /// Tells the queue something, if its permits may be too few; where a worker of the queue
    /// delivers, notes it there.
    @inline(__always)
    private func tellQueue(
        _ worker: DeliveringWorker?,
        _ body: (TaskQueueShell, PendingPermitUpdate?) -> Void
    ) {
        // Not retained to be asked and told: every finish would take the count's cache line from
        // other cores.
        queue.load(ordering: .acquiring)?
            ._withUnsafeGuaranteedRef { queue in
                guard queue.asksWhoWaits.load(ordering: .sequentiallyConsistent) else { return }
                // Workers are of no other type.
                if let worker, unsafeDowncast(worker, to: PendingPermitUpdate.self).isOf(queue) {
                    body(queue, unsafeDowncast(worker, to: PendingPermitUpdate.self))
                } else {
                    body(queue, nil)
                }
            }
    }
}

/// What a worker has yet to tell its queue of the job that it delivers to.
///
/// It tells with what it asks there next, for one locking. A thread that is no worker of the job's
/// queue tells at once.
final class PendingPermitUpdate: DeliveringWorker {
    private let queue: ObjectIdentifier
    // Unchecked: no other thread has this worker.
    /// The job that is about to run code of its own.
    ///
    /// Not retained: the worker has its turn, so that it has not finished.
    @exclusivity(unchecked) var busy: Unmanaged<ConcurrentOperation>?
    /// The job that has nothing to run until one of its tasks finishes.
    @exclusivity(unchecked) var waiting: (any WaitingJob)?

    init(for queue: TaskQueueShell) { self.queue = ObjectIdentifier(queue) }

    fileprivate func isOf(_ queue: TaskQueueShell) -> Bool {
        self.queue == ObjectIdentifier(queue)
    }
}
