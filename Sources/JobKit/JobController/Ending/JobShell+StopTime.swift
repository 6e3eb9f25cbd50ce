import Dispatch
import Foundation

/// Leaving the tasks of a job whose `maximumStopTime` has passed (O11).
///
/// The time counts from the decision about the end. The job stops waiting for its tasks, as with
/// ``TaskCancellation/cancelWithoutWaiting``, and ends as usual. It still waits for its own code.
extension JobShell {
    /// Stops waiting for all tasks of an ending job, on a thread that may run observers' code.
    func leaveTasks() {
        DispatchQueue(label: "JobKit.maximumStopTime")
            .async { [self] in
                guard let (records, isAbandoned) = send({ $0.stopTimePassed() }) else { return }
                if isAbandoned { ask { $0.owner.started }?.note(.abandoned) }
                // The thread that cancels them may be stuck in one.
                takeOverCancel()
                for record in records { stopWaiting(for: record) }
                deliverElsewhere()
            }
    }

    /// The thread that cancels the tasks is stuck in one that was abandoned: cancels the others in
    /// its place, and those of the jobs above.
    func takeOverCancel() {
        var shells = [self]
        while let shell = shells.popLast() {
            let found = shell.ask { state -> (job: JobController, records: [TaskRecord])? in
                guard state.machine.isReachingTasks, let job = state.owner.started else {
                    return nil
                }
                return (job, state.tasks.awaited)
            }
            guard let (job, records) = found else { continue }
            // Asked before the job can end: the jobs above track it no longer then.
            let above = JobShell.tracking(job)
            if !records.isEmpty { CancelSweep.help(records, of: shell, for: job) }
            shell.tasksCancelled()
            shells += above
        }
    }
}
