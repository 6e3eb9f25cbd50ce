import Foundation

/// How far a task is on its way into its queue.
struct TaskSubmission {
    enum Stage {
        case none
        /// Waits in the job until the job starts or is resumed, or until the group has a free
        /// permit.
        case deferred
        /// Was put into its queue, or is about to be, and has one of its group's permits.
        case enqueued
        /// Has left its queue.
        case finished
        /// The task finished, or the job ended, before the task was put into its queue.
        case cancelled
    }

    /// The event number of the task whose group permit this one got, or 0 for none.
    var causeID = 0
    var stage = Stage.none

    /// Whether the task was, or is about to be, put into its queue.
    var wasQueued: Bool { stage == .enqueued || stage == .finished }
}

/// A task that a job submits to a queue.
protocol SubmittedTask: AnyObject {
    /// A task together with the queue that it must enter.
    associatedtype QueueEntry

    var group: Int { get }
    var submission: TaskSubmission { get set }
    /// Nil if the task enters no queue, or if the job has released it.
    var queueEntry: QueueEntry? { get }
    /// The task's number in events, or 0 if the job has released the task.
    var eventID: Int { get }
}

extension TaskRecord: SubmittedTask {
    /// A task on its way into its queue.
    ///
    /// It reaches the queue even if the job ends in the meantime and empties the task's record.
    typealias QueueEntry = (task: Operation, queue: any OperationScheduling)

    final var queueEntry: QueueEntry? {
        guard let task, let queue else { return nil }
        return (task, queue)
    }

    final var eventID: Int { task?.operationID ?? 0 }
}
