import Foundation
import Synchronization

/// Failing, finishing early and being cancelled: the rest is cancelled and waited for.
extension JobShell {
    /// Decides how the job ends, unless something else has; `store` keeps what that brings.
    func requestEnd(
        of job: JobController,
        _ ending: JobState.Machine.Ending,
        failure: (any Error)? = nil,
        store: () -> Void = {}
    ) -> Bool {
        let isFirst = send { state in
            guard state.endRequested(ending, failure: failure) else { return false }
            store()
            return true
        }
        if isFirst, job.currentLifecycle.contains(.isTimed) { job.watchStopTime() }
        return isFirst
    }

    /// Ends the job, unless something else has decided its end.
    func end(
        _ job: JobController,
        _ ending: JobState.Machine.Ending,
        failure: (any Error)? = nil,
        store: () -> Void = {}
    ) {
        if requestEnd(of: job, ending, failure: failure, store: store) { cancelTasks(of: job) }
    }

    /// Cancels the unfinished tasks, after the end was decided upon.
    func cancelTasks(of job: JobController) {
        let (records, work) = send { $0.cancelBegan() }
        work?.cancel()
        if records.isEmpty {
            tasksCancelled()
        } else {
            CancelSweep.cancelAll(records, of: self, for: job)
        }
        if releaseUncallable() {
            job.hooks.withLock { $0.timers }?.cancelAll(keepsStopTime: true)
        }
    }

    /// Releases the closures of a job that has ended before it was to enter `main()`: none is ever
    /// called, and one that captures the job would keep it.
    ///
    /// - Returns: Whether the job has ended so.
    @discardableResult
    func releaseUncallable() -> Bool {
        // Released here, with no lock held.
        send { $0.takeUncallable(from: mailbox) } != nil
    }

    /// Cancels the tasks beside the threads that are doing so: a second `cancel()` too returns only
    /// when all were cancelled, and does not wait for the code that those threads call.
    func helpToCancelTasks(of job: JobController) {
        let (records, work) = ask {
            $0.machine.isReachingTasks ? ($0.tasks.awaited, $0.work) : ([], nil)
        }
        work?.cancel()
        if !records.isEmpty { CancelSweep.help(records, of: self, for: job) }
    }

    /// The sweep has reached every task.
    func tasksCancelled() {
        send { $0.machine.tasksCancelled() }
        deliverElsewhere()
    }

    /// The job need not wait for the task any more.
    ///
    /// If the task has not finished, observers are notified that the job has dropped it.
    func stopWaiting(for record: TaskRecord, hasFinished: Bool = false) {
        let (isDropped, notification) = send {
            $0.stopWaiting(for: record, hasFinished: hasFinished)
        }
        if isDropped { TaskNotifier(record).taskDropped(notification) }
    }

    // MARK: Tasks of several jobs

    // The last job to end cancels the task. Of two that end at once, each decides its end before it
    // asks the other, so that at least one sees that the other has ended.

    /// Whether another job that has not ended tracks the task.
    func sharesTask(of record: TaskRecord) -> Bool {
        guard let task = ask({ _ in record.task }) else { return false }
        // Usually there is none, and otherwise the first is enough.
        for limit in [1, Int.max] {
            let others = task.listeners(limit, otherThan: record)
            if others.contains(where: { ($0 as? TaskRecord)?.isWaitedFor == true }) { return true }
            if others.count < limit { return false }
        }
        return false
    }

    /// The job leaves the task alone, and no longer listens to it.
    func leave(_ record: TaskRecord, _ task: Operation) {
        stopWaiting(for: record)
        task.removeListener(record)
        if KeyedJobs.exist { KeyedJobs.changed(above: task) }
    }
}

extension TaskRecord {
    /// Whether its job has not ended, and waits for the task.
    fileprivate var isWaitedFor: Bool { shell.ask { $0.waits(for: self) } }
}
