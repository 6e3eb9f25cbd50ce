import Foundation

/// Cancels one task as its job's terms require, or leaves it running.
struct TaskCancelStep: CancelStep {
    let record: TaskRecord
    let task: Operation
    private var isLeft = false

    init(_ record: TaskRecord, _ task: Operation) {
        (self.record, self.task) = (record, task)
    }

    mutating func bar() -> [any CancelStep] {
        isLeft =
            record.terms.cancellation == .leaveRunning
            || record.shell.sharesTask(task, of: record)
        return isLeft ? [] : task.bar()
    }

    func carryOut() {
        let shell = record.shell
        // Must come before the task may enter its queue.
        if isLeft { shell.keepContext(of: record) }
        let stopsWaiting = !isLeft && (isNotWaitedFor || isUnstarted)
        let cancelled = shell.send {
            $0.taskCancelled(record, isLeft: isLeft, stopsWaiting: stopsWaiting)
        }
        guard let (submission, drop) = cancelled else { return }
        guard !isLeft else { return shell.leave(record, task) }
        // Must come before the cancellation, because a user's `cancel()` may not return.
        if let drop {
            TaskNotifier(record).taskDropped(drop)
        } else if !stopsWaiting, !task.mayRunThoughBarred(wasQueued: submission.wasQueued) {
            shell.stopWaiting(for: record)
        }
        task.cancelInSweep()
        if submission.mustStart { task.startCancelled() }
    }

    private var isNotWaitedFor: Bool { record.terms.cancellation == .cancelWithoutWaiting }

    /// Whether the task is barred from ever running its code.
    ///
    /// A plain operation may run although it is barred. That is decided later, without a lock.
    private var isUnstarted: Bool {
        record.isConcurrent && !task.mayRunThoughBarred(wasQueued: false)
    }

    func ensureCancelled() { if !isLeft { task.ensureCancelled() } }
}

/// Cancels a job, but not its tasks.
struct JobCancelStep: CancelStep {
    let job: JobController

    func carryOut() { job.cancelItself() }

    func ensureCancelled() { job.cancelItself() }
}

/// Notifies a job that has timed out.
struct JobTimeoutStep: CancelStep {
    let job: JobController
    let decision: OperationLifecycle.CancelAction

    func carryOut() { job.carryOut(decision) }
}

/// Cancels the job's own work, which may call user code.
struct WorkCancelStep: CancelStep {
    let work: Task<Void, Never>

    func carryOut() { work.cancel() }
}

/// Marks the point at which the sweep has reached all tasks of a job.
struct SweepEndStep: CancelStep {
    let job: JobController

    func carryOut() { job.shell.tasksCancelled(of: job) }
}
