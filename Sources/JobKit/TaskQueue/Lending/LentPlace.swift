import Synchronization

/// The place of a started job in its queue, which it lends while it only waits for its tasks.
///
/// The job says when it begins to wait and when it has code of its own to run; the queue decides to
/// whom the place is lent.
struct LentPlace: ~Copyable, Sendable {
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

    /// Whether the place is in this queue.
    func isIn(_ home: any QueueHome) -> Bool {
        queue.load(ordering: .acquiring)?.toOpaque()
            == Unmanaged.passUnretained(home as AnyObject).toOpaque()
    }

    /// The job has nothing to run until one of its tasks finishes.
    @inline(__always)
    func jobWaits(_ job: ConcurrentOperation, _ news: inout PlaceNews) {
        tellQueue { queue in
            if !news.keep(job, in: queue) { queue.jobWaits(job) }
        }
    }

    /// The job is about to run code of its own: the caller has its turn, and so it has not
    /// finished.
    @inline(__always)
    func jobBusy(_ news: inout PlaceNews) {
        tellQueue { queue in
            guard let job = job.load(ordering: .relaxed)?.takeUnretainedValue() else { return }
            if !news.keep(job, in: queue) { queue.jobBusy(job) }
        }
    }

    /// Has an idle worker of the queue deliver to the job; returns false if there is none.
    func deliverOnIdleWorker(_ delivery: any CallbackDelivery) -> Bool {
        queue.load(ordering: .acquiring)?.takeUnretainedValue().deliverOnIdleWorker(delivery)
            == true
    }

    /// Tells the queue something, if anybody there may want the place.
    @inline(__always)
    private func tellQueue(_ body: (TaskQueueShell) -> Void) {
        // Not retained to be asked and told: every finish would take the count's cache line from
        // other cores.
        queue.load(ordering: .acquiring)?
            ._withUnsafeGuaranteedRef { queue in
                if queue.asksForLenders.load(ordering: .sequentiallyConsistent) { body(queue) }
            }
    }
}
