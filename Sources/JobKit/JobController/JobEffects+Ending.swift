import Foundation
import Synchronization

/// Failing, finishing early and being cancelled: the rest is cancelled and waited for.
extension JobEffects {
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
            _ = state.handover.removeAllHeld()
            return state.tasks.records.filter { !$0.isSettled }
        }
        CancelSweep.cancelAll(records, of: self, for: job)
    }

    /// Cancels beside a sweep that is under way on another thread, so that a second `cancel()` too
    /// returns when all tasks were told.
    func helpToCancelTasks(of job: JobController) {
        let records = state.withLock { state -> [TaskRecord] in
            guard state.machine.isCancellingTasks else { return [] }
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
    func settle(_ record: TaskRecord) {
        state.withLock { state in
            guard !record.isSettled, !state.observers.keepsWaiting(for: record) else { return }
            record.isSettled = true
            state.machine.taskStopped()
        }
    }
}
