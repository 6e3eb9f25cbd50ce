import Synchronization

/// The permit of a started job, which the job lends while it only waits for its tasks.
///
/// The permit belongs to the job's queue. The job reports when it begins to wait and when it has
/// code to run. The queue decides which task borrows the permit.
struct JobPermit: ~Copyable, Sendable {
    /// Retained, and set before another thread can read it.
    private let queue = Atomic<Unmanaged<TaskQueueShell>?>(nil)
    /// Not retained, because a started job keeps itself alive until it has finished.
    private let job = Atomic<Unmanaged<ConcurrentOperation>?>(nil)

    deinit {
        guard let queue = queue.load(ordering: .acquiring)?.takeRetainedValue() else { return }
        queue.jobCount.subtract(1, ordering: .sequentiallyConsistent)
    }

    /// Takes the permit of the queue in which the job is started.
    func jobStarts(_ job: ConcurrentOperation) {
        guard let home = TaskQueueShell.queue(of: job) else { return }
        home.jobCount.add(1, ordering: .sequentiallyConsistent)
        self.job.store(.passUnretained(job), ordering: .relaxed)
        queue.store(.passRetained(home), ordering: .releasing)
    }

    /// Whether the permit belongs to this queue.
    func isIn(_ home: AnyObject) -> Bool {
        queue.load(ordering: .acquiring)?.toOpaque() == Unmanaged.passUnretained(home).toOpaque()
    }

    /// Reports that the job has nothing to run until one of its tasks finishes.
    func jobWaits(_ job: ConcurrentOperation) {
        notifyQueue { queue, worker in
            guard let worker else { return queue.send { $0.jobWaits(job) } }
            worker.pointee.waitingJob = job
        }
    }

    /// Reports that the job is about to run its own code.
    ///
    /// The calling thread delivers, so the job has not finished.
    func jobBusy() {
        notifyQueue { queue, worker in
            guard let job = job.load(ordering: .relaxed)?.takeUnretainedValue() else { return }
            guard let worker else { return queue.send { $0.jobBusy(job) } }
            worker.pointee.busyJob = job
        }
    }

    /// Makes an idle worker of the queue deliver to the job, or returns false if no worker is idle.
    func deliverOnIdleWorker(_ delivery: any CallbackDelivery) -> Bool {
        queue.load(ordering: .acquiring)?.takeUnretainedValue().deliverOnIdleWorker(delivery)
            == true
    }

    /// Reports to the queue, if it may have too few permits.
    ///
    /// If the thread is a worker of this queue that collects reports, it sends the report later.
    private func notifyQueue(
        _ body: (_ queue: TaskQueueShell, _ worker: UnsafeMutablePointer<ThreadContext>?) -> Void
    ) {
        // Not retained, because every finish would then take the cache line of the reference count
        // from other cores.
        queue.load(ordering: .acquiring)?
            ._withUnsafeGuaranteedRef { queue in
                guard queue.needsLending.load(ordering: .sequentiallyConsistent) else { return }
                let context = ThreadContext.current
                let isCollected =
                    context.pointee.collectsReports
                    && context.pointee.workerQueue == ObjectIdentifier(queue)
                body(queue, isCollected ? context : nil)
            }
    }
}
