import Foundation
import Synchronization

/// Failing, finishing early and being cancelled: the rest is cancelled and waited for.
extension JobShell {
    /// Decides how the job ends, unless something else has.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - ending: How it ends.
    ///   - failure: Why it has failed.
    ///   - store: Saves a value that the end brings.
    /// - Returns: The steps that cancel its tasks; nil if something else has decided its end.
    func decideEnd(
        of job: JobController,
        _ ending: JobState.Machine.Ending,
        failure: (any Error)? = nil,
        store: () -> Void = {}
    ) -> [any CancelStep]? {
        let ended = send { state -> (tasks: [TaskCancelStep], work: Task<Void, Never>?)? in
            guard state.endRequested(ending, failure: failure) else { return nil }
            store()
            return state.cancelBegan()
        }
        guard let ended else { return nil }
        if job.currentLifecycle.contains(.isTimed) { job.watchStopTime() }
        return Self.steps(ended.tasks, ended.work) + [SweepEndStep(job: job)]
    }

    /// Ends the job, unless something else has decided its end.
    func end(
        _ job: JobController,
        _ ending: JobState.Machine.Ending,
        failure: (any Error)? = nil,
        store: () -> Void = {}
    ) {
        guard let steps = decideEnd(of: job, ending, failure: failure, store: store) else { return }
        CancelSweep(steps).run()
    }

    /// The steps that cancel the tasks of a job that is cancelled now.
    ///
    /// If another thread is cancelling them, this one does so too: every `cancel()` returns only
    /// when all were cancelled, and does not wait for the code that the other thread calls.
    func stepsToCancel(_ job: JobController) -> [any CancelStep] {
        if let steps = decideEnd(of: job, .cancelled) { return steps }
        let (tasks, work) = ask { state in
            state.machine.isReachingTasks ? (state.tasksToCancel, state.work) : ([], nil)
        }
        return Self.steps(tasks, work)
    }

    private static func steps(
        _ tasks: [TaskCancelStep],
        _ work: Task<Void, Never>?
    ) -> [any CancelStep] {
        guard let work else { return tasks }
        return [WorkCancelStep(work: work)] + tasks
    }

    /// Releases the closures of a job that has ended before it was to enter `main()`: none is ever
    /// called, and one that captures the job would keep it.
    ///
    /// - Returns: Whether the job has ended so.
    @discardableResult
    func releaseUncallable() -> Bool {
        // What is taken is released here, with no lock held.
        while send({ $0.takeUncallable(from: mailbox) }) != nil {
            if mailbox.isEmpty { return true }
            // Another thread is still putting mail.
            sched_yield()
        }
        return false
    }

    /// The sweep has reached every task.
    func tasksCancelled(of job: JobController) {
        send { $0.machine.tasksCancelled() }
        if releaseUncallable() {
            job.hooks.withLock { $0.timers }?.cancelAll(keepsStopTime: true)
        }
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
    func sharesTask(_ task: Operation, of record: TaskRecord) -> Bool {
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
