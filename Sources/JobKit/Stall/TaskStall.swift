import Foundation

/// Why one task of a job has not finished.
struct TaskStall {
    let task: Operation
    let job: JobController
    /// Whether the job was to put the task into a queue, and has not yet.
    let isHeld: Bool
    /// The queue that the job has put the task into.
    let queue: (any OperationScheduling)?

    /// A line that begins with the task's name.
    func explanation(at now: CoarseTime) -> String {
        let cancelled = task.isCancelled ? ", cancelled and not stopped yet" : ""
        return "\(operationLabel(task)): \(reason(at: now))\(cancelled)"
    }

    private func reason(at now: CoarseTime) -> String {
        if task.isExecuting { return "executing" + timeExecuting(at: now) }
        if isHeld {
            return job.isSuspended
                ? "never queued, because \(job.label) is suspended"
                : "never queued, because as many of its group as may be are in their queues"
        }
        let dependencies = task.isCancelled ? [] : task.dependencies.filter { !$0.isFinished }
        if !dependencies.isEmpty {
            return "waits for " + dependencies.map(operationLabel).joined(separator: ", ")
        }
        if let queue = standingIn { return queue.reasonNotToStart(for: job) }
        switch queue {
        case let queue as OperationQueue where queue.operations.contains(task):
            return reason(in: queue)
        case nil, is OperationQueue, is TaskQueue:
            return task.isCancelled ? "never started" : "never queued"
        case let queue?:
            return "in \(type(of: queue)), not started"
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

    private var standingIn: TaskQueueEffects? {
        guard let concurrent = task as? ConcurrentOperation else {
            guard let queue = queue as? TaskQueue else { return nil }
            return queue.operations.contains { $0 === task } ? queue.effects : nil
        }
        return concurrent.hooks.withLock { $0.queue }
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
    fileprivate func reasonNotToStart(for job: JobController) -> String {
        let (isSuspended, isFull, entries) = state.withLock { state in
            (
                state.machine.isSuspended, state.machine.placesTaken >= state.machine.width,
                state.machine.entries
            )
        }
        if isSuspended { return "suspended: \(name)" }
        guard isFull else { return "ready in \(name)" }
        return "full: \(name), where " + entries.filter(\.isExecuting).names(besides: job)
    }
}

extension [Operation] {
    fileprivate func names(besides job: JobController) -> String {
        let names = map { $0 === job ? "its own job \(operationLabel($0))" : operationLabel($0) }
        return names.isEmpty ? "nothing executes" : names.joined(separator: ", ") + " executes"
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
                        queue: record.queue
                    )
                }
            }
        }
        .filter { !$0.task.isFinished }
    }
}
