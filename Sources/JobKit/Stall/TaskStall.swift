import Foundation

/// The state of a task that has not finished, as its job has recorded it.
struct TaskStall {
    let task: Operation
    /// The job that tracks the task, or nil if there is none.
    private var job: JobController?
    private var record: TaskRecord?
    /// Whether the job holds the task back: until its start, while suspended, or at a group's limit.
    private(set) var isDeferred = false
    /// Whether the job has put the task into its queue.
    private(set) var wasQueued = false
    /// The queue into which the job puts the task.
    private(set) var queue: (any OperationScheduling)?
    /// The concurrency limit of the task's group.
    private var limit = Int.max
    private var group: JobGroup?

    /// Creates the state of an operation that no job tracks.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - queue: The queue into which it was put, if that is known.
    init(_ operation: Operation, in queue: (any OperationScheduling)? = nil) {
        task = operation
        self.queue = queue
        wasQueued = queue != nil
    }

    /// Creates the state of a job's task.
    ///
    /// The caller must hold the job's lock.
    init(_ task: Operation, _ record: TaskRecord, _ state: borrowing JobState) {
        self.task = task
        self.record = record
        job = state.job
        isDeferred = record.submission.stage == .deferred
        wasQueued = record.submission.wasQueued
        queue = record.queue
        if isDeferred {
            limit = state.submission.limit(of: record.group)
            group = state.group(record.group).group
        }
    }

    /// Whether the task has finished without notifying the job.
    var hasFinishedWithoutNotifying: Bool {
        record.map { task.hasFinishedUnannounced(to: $0) } ?? false
    }

    /// Whether the job waits for the task, even if it has finished without notifying the job.
    var isUnfinished: Bool { !task.isFinished || hasFinishedWithoutNotifying }

    /// Why the job itself holds the task back, or nil if it does not.
    var reasonToHold: String? {
        guard isDeferred, let job else { return nil }
        if !job.currentLifecycle.contains(.started) {
            return "never queued, because \(job.label) has not been started"
        }
        if job.isSuspended { return "never queued, because \(job.label) is suspended" }
        guard let group, limit < .max else { return "never queued yet" }
        return "never queued, because only \(limit) of group \(group) may run at a time"
    }
}
