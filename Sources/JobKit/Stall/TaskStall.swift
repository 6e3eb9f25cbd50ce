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
    func explanation(at now: CoarseTime) -> String {
        let isExecuting = task.isExecuting
        let reason = isExecuting ? "executing" + timeExecuting(at: now) : reasonNotToStart
        let cancelled = isExecuting ? ", cancelled and not stopped yet" : ", cancelled"
        return "\(operationLabel(task)): \(reason)\(task.isCancelled ? cancelled : "")"
    }

    private var reasonNotToStart: String {
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
            return queue.reasonNotToStart(task, of: job)
        }
        if let reason = (task as? LaunchTask)?.reasonNotToStart { return reason }
        switch queue {
        case let queue as OperationQueue where wasQueued:
            return reason(in: queue)
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

    private func reason(in queue: OperationQueue) -> String {
        let name = queue.name ?? "OperationQueue"
        if queue.isSuspended { return "suspended: \(name)" }
        let executing = queue.operations.filter(\.isExecuting)
        let width = queue.maxConcurrentOperationCount
        guard width != OperationQueue.defaultMaxConcurrentOperationCount,
            executing.count >= width
        else { return "ready in \(name)" }
        return "full: \(name), where " + executing.names(besides: job)
    }
}

extension TaskQueueEffects {
    /// Why an operation that is ready has not been started.
    fileprivate func reasonNotToStart(_ task: Operation, of job: JobController) -> String {
        let (machine, entries) = state.withLock { ($0.machine, $0.machine.entries) }
        if machine.isSuspended { return "suspended: \(name)" }
        let isParked = machine.slots.contains { $0.state == .parked && $0.entry === task }
        guard isParked || machine.placesTaken >= machine.width else { return "ready in \(name)" }
        let reason = isParked ? "waits for a barrier" : "full"
        return "\(reason): \(name), where " + entries.filter(\.isExecuting).names(besides: job)
    }
}

extension [Operation] {
    fileprivate func names(besides job: JobController) -> String {
        let names = map { $0 === job ? "its own job \(operationLabel($0))" : operationLabel($0) }
        guard !names.isEmpty else { return "nothing executes" }
        return names.joined(separator: ", ") + (names.count == 1 ? " executes" : " execute")
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
