import Foundation

/// What a job knows of a task that has not finished.
struct TaskStall {
    /// A group's width, and the tasks that fill it.
    struct Gate {
        let group: JobGroup
        let width: Int
        /// How many are in their queues.
        let count: Int
        /// The first of them.
        let inside: [Operation]
    }

    let task: Operation
    /// The job that tracks the task; nil for an operation that no job tracks.
    let job: JobController?
    /// Whether the task has finished without notifying the job.
    var hasFinishedWithoutTelling: Bool { record.map { task.hasFinishedUntold(to: $0) } ?? false }

    private var record: TaskRecord?
    /// Whether the job was to put the task into a queue, and has not yet.
    private(set) var isHeld = false
    /// Whether the job has put the task into its queue.
    private(set) var wasQueued = false
    /// The queue that the task is put into.
    private(set) var queue: (any OperationScheduling)?
    /// What holds the task, if that is the width of its group.
    private(set) var gate: Gate?

    /// An operation that no job tracks.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - queue: The queue that it was put into, if that is known.
    init(_ operation: Operation, in queue: (any OperationScheduling)? = nil) {
        task = operation
        job = nil
        self.queue = queue
        wasQueued = queue != nil
    }

    /// A task of a job, whose lock the caller holds.
    init(_ task: Operation, _ record: TaskRecord, of job: JobController, gate: Gate?) {
        self.task = task
        self.job = job
        self.record = record
        isHeld = record.admission.stage == .held
        wasQueued = record.admission.wasQueued
        queue = record.queue
        self.gate = gate
    }

    /// Why the job itself holds the task back; nil where it does not.
    var reasonToHold: String? {
        guard isHeld, let job else { return nil }
        if !job.currentLifecycle.contains(.started) {
            return "never queued, because \(job.label) has not been started"
        }
        if job.isSuspended { return "never queued, because \(job.label) is suspended" }
        guard let gate else { return "never queued yet" }
        let isNamed = !gate.inside.isEmpty
        let inside = isNamed ? ", now " + OperationNames.list(gate.inside, of: gate.count) : ""
        return "never queued, because only \(gate.width) of group \(gate.group) may go at a time"
            + inside
    }
}
