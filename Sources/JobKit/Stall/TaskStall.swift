import Foundation

/// The state of a task that has not finished, as its job has recorded it.
struct TaskStall {
    /// A group's limit, and the tasks that hold its permits.
    struct GroupLimit {
        let group: JobGroup
        let limit: Int
        /// How many tasks of the group are in their queues.
        let count: Int
        /// The first of these tasks.
        let inside: [Operation]
    }

    let task: Operation
    /// The job that tracks the task, or nil if there is none.
    let job: JobController?
    /// Whether the task has finished without notifying the job.
    var hasFinishedWithoutNotifying: Bool {
        record.map { task.hasFinishedUnannounced(to: $0) } ?? false
    }

    private var record: TaskRecord?
    /// Whether the job holds the task back: until its start, while suspended, or at a group's limit.
    private(set) var isDeferred = false
    /// Whether the job has put the task into its queue.
    private(set) var wasQueued = false
    /// The queue into which the job puts the task.
    private(set) var queue: (any OperationScheduling)?
    /// The group limit that holds the task back, if there is one.
    private(set) var groupLimit: GroupLimit?

    /// Creates the state of an operation that no job tracks.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - queue: The queue into which it was put, if that is known.
    init(_ operation: Operation, in queue: (any OperationScheduling)? = nil) {
        task = operation
        job = nil
        self.queue = queue
        wasQueued = queue != nil
    }

    /// Creates the state of a job's task.
    ///
    /// The caller must hold the job's lock.
    init(_ task: Operation, _ record: TaskRecord, of job: JobController, groupLimit: GroupLimit?) {
        self.task = task
        self.job = job
        self.record = record
        isDeferred = record.submission.stage == .deferred
        wasQueued = record.submission.wasQueued
        queue = record.queue
        self.groupLimit = groupLimit
    }

    /// Why the job itself holds the task back, or nil if it does not.
    var reasonToHold: String? {
        guard isDeferred, let job else { return nil }
        if !job.currentLifecycle.contains(.started) {
            return "never queued, because \(job.label) has not been started"
        }
        if job.isSuspended { return "never queued, because \(job.label) is suspended" }
        guard let groupLimit else { return "never queued yet" }
        let isNamed = !groupLimit.inside.isEmpty
        let inside =
            isNamed ? ", now " + OperationName.list(groupLimit.inside, of: groupLimit.count) : ""
        return
            "never queued, because only \(groupLimit.limit) of group \(groupLimit.group) "
            + "may run at a time"
            + inside
    }
}
