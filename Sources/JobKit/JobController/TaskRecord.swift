import Foundation

// The lock of the job's effects guards every variable.
/// One task that a job tracks, from the tracking to the delivery.
///
/// The record holds the task and the task its record; delivering the task, or ending the job, breaks
/// the cycle.
class TaskRecord: JobMail, @unchecked Sendable {
    final let effects: JobEffects
    /// The number of the task's group in the job.
    final var group = 0
    final let cancellation: ChildCancellation
    final let weight: Int64
    final let isConcurrent: Bool
    /// Nil once the task was delivered, or the job has ended.
    final var task: Operation?
    /// Tells of the finish of a task that is no ``ConcurrentOperation``.
    final var finishHook: FinishHook?

    /// Where the task is put when its turn comes; nil if it is only tracked.
    final var queue: (any OperationScheduling)?
    final var handover = Handover.none
    /// The job no longer waits for the task: it is being delivered, or was left to itself.
    final var isSettled = false

    /// How much of its weight a nested job has done.
    final var fraction = 0.0

    /// Where the record stands in the ``TaskList``.
    final var place = TaskList.Place()

    enum Handover {
        case none
        /// Waits in the job for a place, or for the job to be resumed.
        case held
        /// Was put in its queue, and takes one of its group's places.
        case done
        /// Has left its queue.
        case left
        /// The task finished, or the job ended, before the task was put into its queue.
        case withdrawn
    }

    @inline(__always)
    init(
        _ task: Operation,
        effects: JobEffects,
        cancellation: ChildCancellation,
        weight: Int64,
        queue: (any OperationScheduling)?
    ) {
        self.task = task
        self.effects = effects
        self.cancellation = cancellation
        self.weight = weight
        self.queue = queue
        isConcurrent = task is ConcurrentOperation
        super.init(isTask: true)
    }

    /// The task, if it is one that tells of its finish itself.
    final var concurrentTask: ConcurrentOperation? {
        isConcurrent ? task.map { unsafeDowncast($0, to: ConcurrentOperation.self) } : nil
    }

    override func deliver(to job: JobController) {
        if let task { job.taskFinished(task) }
    }

    /// Releases a closure that will not be called; the job's deliverer, or its end, calls this.
    func releaseCompletion() {}

    /// Why the task failed, if it did.
    final var failure: (any Error)? { concurrentTask?.error }
}
