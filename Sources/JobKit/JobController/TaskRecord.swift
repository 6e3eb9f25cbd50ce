import Foundation

// The lock of the job's effects guards every variable.
/// One task that a job tracks, from the tracking to the delivery.
///
/// The record holds the task and the task its record; delivering the task, or ending the job, breaks
/// the cycle.
final class TaskRecord: JobMail, @unchecked Sendable {
    let effects: JobEffects
    /// The number of the task's group in the job.
    var group = 0
    let cancellation: ChildCancellation
    let weight: Int64
    let isConcurrent: Bool
    /// Nil once the task was delivered, or the job has ended.
    var task: Operation?
    var completion: ((Operation) -> Void)?
    /// Tells of the finish of a task that is no ``ConcurrentOperation``.
    var finishHook: FinishHook?

    /// Where the task is put when its turn comes; nil if it is only tracked.
    var queue: (any OperationScheduling)?
    var handover = Handover.none
    /// The job no longer waits for the task: it is being delivered, or was left to itself.
    var isSettled = false

    /// How much of its weight a nested job has done.
    var fraction = 0.0

    /// Where the record stands in the ``TaskList``.
    var place = TaskList.Place()

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

    init(
        _ task: Operation,
        effects: JobEffects,
        cancellation: ChildCancellation,
        weight: Int64,
        queue: (any OperationScheduling)?,
        completion: ((Operation) -> Void)?
    ) {
        self.task = task
        self.effects = effects
        self.cancellation = cancellation
        self.weight = weight
        self.queue = queue
        self.completion = completion
        isConcurrent = task is ConcurrentOperation
        super.init(isTask: true)
    }

    /// The task, if it is one that tells of its finish itself.
    var concurrentTask: ConcurrentOperation? {
        isConcurrent ? task.map { unsafeDowncast($0, to: ConcurrentOperation.self) } : nil
    }

    override func deliver(to job: JobController) {
        guard let task else { return }
        if let completion {
            completion(task)
        } else {
            job.taskFinished(task)
        }
    }

    /// Why the task failed, if it did.
    var failure: (any Error)? { concurrentTask?.error }
}
