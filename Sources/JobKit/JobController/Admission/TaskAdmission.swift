import Foundation

/// How far a task is on its way into its queue.
struct TaskAdmission {
    enum Stage {
        case none
        /// Waits in the job until the job starts or is resumed, or until the group has a free
        /// permit.
        case held
        /// Was put into its queue, or is about to be, and has one of its group's permits.
        case admitted
        /// Has left its queue.
        case left
        /// The task finished, or the job ended, before the task was put into its queue.
        case withdrawn
    }

    /// The event number of the task that admitted this one by finishing, or 0 for none.
    var causeID = 0
    var stage = Stage.none

    /// Whether the task was, or is about to be, put into its queue.
    var wasQueued: Bool { stage == .admitted || stage == .left }
}

/// A task that a job admits into its queue.
protocol AdmittedTask: AnyObject {
    /// A task together with the queue that it must enter.
    associatedtype Submission

    var group: Int { get }
    var admission: TaskAdmission { get set }
    /// Nil if the task enters no queue, or if the job has released it.
    var submission: Submission? { get }
    /// The task's number in events, or 0 if the job has released the task.
    var eventID: Int { get }
}

extension TaskRecord: AdmittedTask {
    /// A task on its way into its queue.
    ///
    /// It reaches the queue even if the job ends in the meantime and empties the task's record.
    struct Submission {
        let task: Operation
        let queue: any OperationScheduling
    }

    final var submission: Submission? {
        guard let task, let queue else { return nil }
        return Submission(task: task, queue: queue)
    }

    final var eventID: Int { task?.operationID ?? 0 }
}
