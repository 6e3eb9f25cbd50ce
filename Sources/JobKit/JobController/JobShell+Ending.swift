import Foundation
import Synchronization

/// Failing, finishing early and being cancelled: the rest is cancelled and waited for.
extension JobShell {
    /// Ends the job, unless something else has decided its end.
    func end(
        _ job: JobController,
        _ ending: Machine.Ending,
        failure: (any Error)? = nil,
        store: () -> Void = {}
    ) {
        if requestEnd(ending, failure: failure, store: store) { cancelTasks(of: job) }
    }

    /// Cancels the unfinished tasks, after the end was decided upon.
    func cancelTasks(of job: JobController) {
        let records = state.withLock { state in
            state.admission.jobEnds()
            return state.tasks.records.filter { !$0.isSettled }
        }
        CancelSweep.cancelAll(records, of: self, for: job)
        if releaseUncallable() { job.hooks.withLock { $0.timers }?.cancelAll() }
    }

    /// Releases the closures of a job that has ended before it was to enter `main()`: none is ever
    /// called, and one that captures the job would keep it.
    ///
    /// - Returns: Whether the job has ended so.
    @discardableResult
    func releaseUncallable() -> Bool {
        let (isOver, released) = state.withLock { state -> (Bool, [Any]) in
            guard state.machine.callsNothing else { return (false, []) }
            var released: [Any] = state.tasks.records.compactMap { $0.takeCompletion() }
            released.append(state.groups.takeCompletions())
            while let mail = mailbox.takeFirst(&state.reader) {
                if mail.withRecord({ _ in }) == nil {
                    released.append(mail.takeRetainedValue())
                } else {
                    putAside(mail, &state)
                }
            }
            return (true, released)
        }
        withExtendedLifetime(released) {}
        return isOver
    }

    /// Cancels beside other threads that are telling tasks, so that a second `cancel()` too returns
    /// when all were told, without waiting for what those threads call.
    func helpToCancelTasks(of job: JobController) {
        let records = state.withLock { state -> [TaskRecord] in
            guard state.machine.isTellingTasks else { return [] }
            return state.tasks.records.filter { !$0.isSettled }
        }
        if !records.isEmpty { CancelSweep.help(records, of: self, for: job) }
    }

    /// The sweep has reached every task.
    func tasksCancelled() {
        state.withLock { $0.machine.tasksCancelled() }
        deliverElsewhere()
    }

    /// The job waits for the task no longer, or need not because it has stopped.
    ///
    /// If the task has not finished, observers hear that the job has dropped it.
    func settle(_ record: TaskRecord, hasFinished: Bool = false) {
        let (isDropped, news) = state.withLock { state -> (Bool, TaskNews?) in
            guard !record.isSettled else { return (false, nil) }
            let isObserved = !hasFinished && !state.observers.isEmpty
            switch record.change({ $0.settle(isObserved: isObserved) }) {
            case .later:
                return (false, nil)
            case .tellDropped:
                return (true, self.news(of: record, &state))
            case .settle:
                record.isSettled = true
                state.machine.taskStopped()
                return (false, nil)
            }
        }
        if isDropped { tellDropped(record, news) }
    }
}
