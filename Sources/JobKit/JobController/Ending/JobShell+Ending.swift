import Foundation
import Synchronization

/// Ends a job that fails, finishes early or is cancelled: cancels its tasks and waits for them.
extension JobShell {
    /// Decides how the job ends, unless that was already decided.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - ending: How it ends.
    ///   - failure: Why it has failed.
    ///   - store: Saves the value with which the job ends.
    /// - Returns: The steps that cancel its tasks. Nil if its end was already decided.
    func decideEnd(
        of job: JobController,
        _ ending: JobState.Machine.Ending,
        failure: (any Error)? = nil,
        store: () -> Void = {}
    ) -> [any CancelStep]? {
        let cancelled = send { state in
            let cancelled = state.endRequested(ending, of: job, failure: failure)
            if cancelled != nil { store() }
            return cancelled
        }
        return cancelled.map { steps(toEnd: job, $0) }
    }

    /// Returns the steps that cancel the tasks of a job after its end was decided.
    func steps(toEnd job: JobController, _ cancelled: JobState.Cancelled) -> [any CancelStep] {
        let isTimed = job.flags.contains(.isTimed)
        let timers: [any CancelStep] = isTimed ? [JobEndStep.watchStopTime(job)] : []
        return timers + Self.steps(cancelled) + [JobEndStep.tasksCancelled(job)]
    }

    /// Ends the job, unless its end was already decided.
    func end(
        _ job: JobController,
        _ ending: JobState.Machine.Ending,
        failure: (any Error)? = nil,
        store: () -> Void = {}
    ) {
        guard let steps = decideEnd(of: job, ending, failure: failure, store: store) else { return }
        CancelSweep(steps).run()
    }

    /// Returns the steps that cancel the tasks of a job that is being cancelled.
    ///
    /// If another thread is already cancelling them, this thread cancels them too. Therefore, every
    /// `cancel()` returns only after all tasks were cancelled, and never waits for code that the
    /// other thread calls.
    func stepsToCancel(_ job: JobController) -> [any CancelStep] {
        if let steps = decideEnd(of: job, .cancelled) { return steps }
        let (cancelled, dropped) = ask { $0.unreached }
        let uncancelled = dropped.filter { !$0.isCancelled && !$0.isFinished }
        return Self.steps(cancelled) + uncancelled.map { OperationCancelStep(operation: $0) }
    }

    private static func steps(_ cancelled: JobState.Cancelled) -> [any CancelStep] {
        guard let work = cancelled.work else { return cancelled.tasks }
        return [JobEndStep.cancelWork(work)] + cancelled.tasks
    }

    /// Releases the closures of a job that has ended without entering `main()`.
    ///
    /// None of them will ever be called, and one that captures the job would keep it alive.
    ///
    /// - Returns: Whether the job has ended in this way.
    @discardableResult
    func releaseUncallable() -> Bool {
        // The removed closures are released here, with no lock held.
        send { $0.takeUncallable() } != nil
    }

    /// Continues the end of the job after the sweep has reached every task.
    func tasksCancelled(of job: JobController) {
        send { $0.tasksCancelled() }
        if releaseUncallable() { job.endTimers(keepsStopTime: true) }
        deliverElsewhere()
    }

    /// Stops waiting for a task.
    ///
    /// If the task has not finished, observers are notified that the job has dropped it.
    func stopWaiting(for record: TaskRecord) {
        if let drop = send({ $0.stopWaiting(for: record) }) {
            record.notifyDropped(drop)
        }
    }

    // MARK: Tasks of several jobs

    // The last job to end cancels the task. If two jobs end at once, each decides its own end
    // before it checks the other. Therefore, at least one of them detects that the other has ended.

    /// Whether another job that has not ended tracks the task.
    func sharesTask(_ task: Operation, of record: TaskRecord) -> Bool {
        // Usually there is no other listener, and otherwise the first one is enough.
        for limit in [1, Int.max] {
            let others = task.listeners(limit, otherThan: record)
            if others.contains(where: { ($0 as? TaskRecord)?.isWaitedFor == true }) { return true }
            if others.count < limit { return false }
        }
        return false
    }

    /// Leaves the task running, and stops listening to it.
    func leave(_ record: TaskRecord, _ task: Operation) {
        stopWaiting(for: record)
        task.removeListener(record)
        KeyedJobs.changed(above: task)
    }
}

extension TaskRecord {
    /// Whether the record's job waits for the task and has not ended.
    fileprivate var isWaitedFor: Bool { shell.ask { $0.isAwaited(self) && isAwaited } }
}
