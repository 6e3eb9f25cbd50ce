import Foundation

/// Where a task stands on its way into its queue.
struct TaskAdmission {
    enum Stage {
        case none
        /// Waits in the job for its start, for a place in its group, or for the job to be resumed.
        case held
        /// Was put into its queue, or is about to be, and takes one of its group's places.
        case admitted
        /// Has left its queue.
        case left
        /// The task finished, or the job ended, before the task was put into its queue.
        case withdrawn
    }

    /// The number in events of the task whose finish admitted this one; 0 for none.
    var causeID = 0
    var stage = Stage.none

    /// Whether the task was, or is about to be, put into its queue.
    var wasQueued: Bool { stage == .admitted || stage == .left }
}

/// A task that a job admits into its queue.
protocol AdmittedTask: AnyObject {
    /// What is put into a queue.
    associatedtype Submission

    var group: Int { get }
    var admission: TaskAdmission { get set }
    /// Nil if the task goes into no queue, or the job has let go of it.
    var submission: Submission? { get }
    /// The task's number in events; 0 if the job has let go of it.
    var eventID: Int { get }
}

extension TaskRecord: AdmittedTask {
    /// A task on its way into its queue, which it reaches although the job may end meanwhile, and
    /// empty its record.
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
