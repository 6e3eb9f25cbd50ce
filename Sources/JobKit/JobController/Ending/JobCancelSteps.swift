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
        let isNotWaitedFor = record.terms.cancellation == .cancelWithoutWaiting
        let stopsWaiting = !isLeft && (isNotWaitedFor || isUnstarted)
        let cancelled = shell.send {
            $0.taskCancelled(record, isLeft: isLeft, stopsWaiting: stopsWaiting)
        }
        guard let (wasQueued, mustStart, drop) = cancelled else { return }
        guard !isLeft else { return shell.leave(record, task) }
        // Must come before the cancellation, because a user's `cancel()` may not return.
        if let drop {
            record.notifyDropped(drop)
        } else if !stopsWaiting, !task.mayRunThoughBarred(wasQueued: wasQueued) {
            shell.stopWaiting(for: record)
        }
        task.cancelInSweep()
        if mustStart { task.startCancelled() }
    }

    /// Whether the task is barred from ever running its code.
    ///
    /// A plain operation may run although it is barred. That is decided later, without a lock.
    private var isUnstarted: Bool {
        record.isConcurrent && !task.mayRunThoughBarred(wasQueued: false)
    }

    var target: Operation? { isLeft ? nil : task }
}

/// A step of a ``CancelSweep`` that ends a job, apart from its tasks.
enum JobEndStep: CancelStep {
    /// Starts the job's stop time, which may read a user's clock.
    case watchStopTime(JobController)
    /// Cancels the job.
    case cancel(JobController)
    /// Notifies the job that it has timed out.
    case timeOut(JobController, OperationLifecycle.CancelAction)
    /// Cancels the job's own work, which may call user code.
    case cancelWork(RunningTask)
    /// Marks the point at which the sweep has reached all tasks of the job.
    case tasksCancelled(JobController)

    var target: Operation? { if case .cancel(let job) = self { job } else { nil } }

    var startsTimer: Bool { if case .watchStopTime = self { true } else { false } }

    func bar() -> [any CancelStep] { [] }

    func carryOut() {
        switch self {
        case .watchStopTime(let job): job.watchStopTime()
        case .cancel(let job): job.cancelItself()
        case .timeOut(let job, let action): job.carryOut(action)
        case .cancelWork(let work): work.cancel()
        case .tasksCancelled(let job): job.shell.tasksCancelled(of: job)
        }
    }
}
