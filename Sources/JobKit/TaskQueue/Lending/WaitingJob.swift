import Foundation

/// A job, as far as its queue knows it: all that the rest of JobKit fills in for lending (J12).
protocol WaitingJob: ConcurrentOperation {
    /// Whether it was started in this queue.
    func holdsPermit(in queue: TaskQueueShell) -> Bool

    /// Whether it has nothing to run until one of its tasks finishes.
    ///
    /// Asked under the lock of a queue.
    var onlyWaits: Bool { get }

    /// Whether it was started and has tasks.
    var hasTasksToLendTo: Bool { get }

    /// Its tasks, which may use its permit.
    var tasksToLendTo: [Operation] { get }
}

/// A listener that leads from a task to a job that waits for it.
protocol WaitingJobListener: OperationListener {
    /// The job, from its start to its finish.
    var waitingJob: (any WaitingJob)? { get }

    /// The job, started or not, until its finish.
    var knownJob: (any WaitingJob)? { get }
}

extension Operation {
    /// The started jobs that wait for the operation.
    var waitingJobs: [any WaitingJob] {
        listeners.compactMap { ($0 as? any WaitingJobListener)?.waitingJob }
    }
}
