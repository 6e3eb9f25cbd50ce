import Foundation

/// Ending a job that was told to stop and did not, in the time that it had.
///
/// Whatever keeps it is left where it is: a task, a callback, `main()`, or a thread that cancels
/// the tasks. Only threads that are notifying observers are waited for, so that the job's own
/// finish is the observers' last event.
extension JobShell {
    /// Leaves the unfinished tasks of the job, and ends it.
    func giveUp(_ job: JobController) {
        guard let (left, mayMissTasks) = send({ $0.gaveUp() }) else { return }
        let unfinished = left.map(\.task).filter { !$0.isFinished }
        if !unfinished.isEmpty {
            let names = OperationNames.list(unfinished)
            send { $0.leftTasks = names }
        }
        var untold: [(task: Operation, mustStart: Bool)] = []
        for (record, task) in left {
            // Asked before it is left.
            let isLeft = mayMissTasks && CancelSweep.leaves(record, of: self)
            // Before it may go into its queue.
            if isLeft { keepContext(of: record) } else { keepContext(for: task) }
            if mayMissTasks {
                let withdrawal = send { $0.admission.withdraw(record, isLeft: isLeft) }
                if !isLeft { untold.append((task, withdrawal.mustStart)) }
            }
            leave(record, task)
        }
        endIfGivenUp(job)
        for (task, mustStart) in untold where mustStart || !task.isCancelled {
            DispatchQueue.global()
                .async {
                    task.cancel()
                    if mustStart { task.startCancelled() }
                }
        }
    }

    /// Ends the job if it was given up and no thread is notifying observers of its tasks.
    ///
    /// A thread that never comes back may have the turn to deliver, so the job ends without it.
    ///
    /// - Parameter job: The job; nil where it has begun.
    func endIfGivenUp(_ job: JobController? = nil) {
        let end = send { state -> (job: JobController, how: JobState.Machine.Ending)? in
            guard state.machine.isAbandoned, let job = job ?? state.owner.known,
                !state.delivery.isNotified, let how = state.machine.givenUpEnd()
            else { return nil }
            state.owner.jobGivenUp(job)
            return (job, how)
        }
        guard let end else { return }
        // A thread that has the turn holds no reference: the job is kept until that thread returns.
        if !mailbox.turn.close() { releaseGivenUp() }
        var claimed: (any CallbackDelivery)?
        _ = finish(end.job, end.how, &claimed)
        claimed?.deliverClaimedElsewhere()
    }

    /// Lets go of a job that was given up.
    ///
    /// Called by the thread that ended it, or by the one that had the turn meanwhile and has found
    /// it closed: no other thread can tell that none is in the job's code.
    func releaseGivenUp() {
        // The thread that had the turn may have taken mail while another one ended the job.
        throwAwayMail()
        // Released here, with no lock held.
        let job = send { $0.owner.takeGivenUp() }
        withExtendedLifetime(job) {}
    }

    /// The thread that cancels the tasks is stuck in one that was given up: cancels the others in
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
