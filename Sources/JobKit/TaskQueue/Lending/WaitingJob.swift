import Foundation

/// The interface of a job to its queue, which the rest of JobKit implements for lending (J12).
protocol WaitingJob: ConcurrentOperation {
    /// Whether the job was started in this queue.
    func holdsPermit(in queue: TaskQueueShell) -> Bool

    /// Whether the job has nothing to run until one of its tasks finishes, read under a queue's
    /// lock.
    var onlyWaits: Bool { get }

    /// Whether the job was started and has tasks.
    var hasTasksToLendTo: Bool { get }

    /// The job's tasks, which may use its permit.
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
