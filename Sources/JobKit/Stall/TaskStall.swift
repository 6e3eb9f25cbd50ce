import Foundation

/// Why one task of a job has not finished.
struct TaskStall {
    let task: Operation
    let job: JobController
    /// Whether the job was to put the task into a queue, and has not yet.
    let isHeld: Bool
    /// Whether the job has put the task into its queue.
    let wasQueued: Bool
    /// The queue that the job puts the task into.
    let queue: (any OperationScheduling)?

    /// A line that begins with the task's name.
    func explanation(at now: CoarseTime, asking queues: inout StalledQueues) -> String {
        let isExecuting = task.isExecuting
        let reason =
            isExecuting ? "executing" + timeExecuting(at: now) : reasonNotToStart(asking: &queues)
        let cancelled = isExecuting ? ", cancelled and not stopped yet" : ", cancelled"
        return "\(operationLabel(task)): \(reason)\(task.isCancelled ? cancelled : "")"
    }

    private func reasonNotToStart(asking queues: inout StalledQueues) -> String {
        if isHeld {
            return job.isSuspended
                ? "never queued, because \(job.label) is suspended"
                : "never queued, because as many of its group as may be are in their queues"
        }
        let dependencies = task.isCancelled ? [] : task.dependencies.filter { !$0.isFinished }
        if !dependencies.isEmpty {
            return "waits for " + dependencies.map(operationLabel).joined(separator: ", ")
        }
        if let queue = TaskQueueEffects.queue(of: task) {
            return queues.reasonNotToStart(task, of: job, in: queue)
        }
        if let reason = (task as? LaunchTask)?.reasonNotToStart { return reason }
        switch queue {
        case let queue as OperationQueue where wasQueued:
            return queues.reasonNotToStart(task, of: job, in: queue)
        case let queue as TaskQueue where wasQueued:
            return "ready in \(queue.effects.name)"
        case let queue? where wasQueued:
            return "in \(type(of: queue)), not started"
        default:
            return "never queued"
        }
    }

    /// How long it has been executing, if that is known and a second or longer.
    private func timeExecuting(at now: CoarseTime) -> String {
        guard let entry = (task as? ConcurrentOperation)?.entry.load(ordering: .relaxed), entry != 0
        else { return "" }
        let seconds = CoarseTime(rawValue: entry).seconds(to: now)
        return switch seconds {
        case 0: ""
        case ..<120: " for \(seconds) s"
        case ..<7_200: " for \(seconds / 60) min"
        default: " for \(seconds / 3_600) h"
        }
    }
}

extension JobEffects {
    var isSuspended: Bool { state.withLock { $0.machine.isSuspended } }

    /// The unfinished tasks, in the order tracked.
    func stalls(of job: JobController) -> [TaskStall] {
        state.withLock { state in
            state.tasks.records.compactMap { record in
                record.task.map { task in
                    TaskStall(
                        task: task,
                        job: job,
                        isHeld: record.handover == .held,
                        wasQueued: record.handover == .done || record.handover == .left,
                        queue: record.queue
                    )
                }
            }
        }
        .filter { !$0.task.isFinished }
    }
}
