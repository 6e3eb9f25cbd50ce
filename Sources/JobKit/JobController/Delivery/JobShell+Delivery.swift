import Dispatch
import Foundation
import Synchronization

/// Delivers finished tasks. Contains the only switch over the steps of ``JobStateMachine``.
extension JobShell {
    /// How many callbacks run in one block on a `callbackQueue`.
    ///
    /// The bound keeps a main queue responsive.
    private static let callbacksPerBlock = 64

    /// Records that there is something to deliver, and returns whether the caller must deliver it.
    func claimDelivery(by worker: DeliveringWorker?) -> Bool {
        switch completionQueue.token.acquire() {
        case .busy:
            return false
        case .closed:
            discardMessages()
            return false
        case .acquired:
            permit.jobBusy(worker)
            return true
        }
    }

    func deliverClaimed(by worker: DeliveringWorker?) -> (any CallbackDelivery)? {
        guard callbackQueue == nil else {
            deliverClaimedElsewhere()
            return nil
        }
        return deliver(by: worker)
    }

    func deliverClaimedElsewhere() {
        if let callbackQueue {
            callbackQueueRequestedAt.store(max(1, CoarseTime.now.rawValue), ordering: .relaxed)
            callbackQueue.async { [self] in deliverOnCallbackQueue() }
        } else if !permit.deliverOnIdleWorker(self) {
            let queue = send { $0.delivery.queue }
            queue.async { [self] in deliverAll() }
        }
    }

    /// Delivers on the `callbackQueue`.
    ///
    /// If that finishes the job, another thread delivers to the job above it.
    func deliverOnCallbackQueue() {
        callbackQueueRequestedAt.store(0, ordering: .relaxed)
        deliver(atMost: Self.callbacksPerBlock, by: nil)?.deliverClaimedElsewhere()
    }

    /// Delivers the end of the job's work on this thread.
    ///
    /// This may be one of Swift's few threads. Therefore, callbacks of the job's tasks, and of jobs
    /// that wait for this one, run elsewhere.
    func deliverWorkEnd() {
        let mayDeliver = callbackQueue == nil && !ask { $0.tasks.trackedCount > 0 }
        guard mayDeliver, ThreadContext.current.pointee.heldDeliveries == nil else {
            return deliverElsewhere()
        }
        if claimDelivery() { deliver(by: nil)?.deliverClaimedElsewhere() }
    }

    /// Runs callbacks until none is due.
    ///
    /// - Returns: The job to deliver to next. This is a job that this job's finish has claimed, or
    ///   this job itself if `limit` was reached.
    private func deliver(
        atMost limit: Int = .max,
        by worker: DeliveringWorker?
    ) -> (any CallbackDelivery)? {
        var pending = completionQueue.token.pending
        let now = CoarseTime.now
        // Not retained, because the job cannot finish while this thread has the token.
        let begin = send {
            state -> (job: Unmanaged<JobController>, action: JobState.Machine.Action)? in
            guard let job = state.owner.unretained else { return nil }
            return (job, state.nextAction(from: completionQueue, at: now))
        }
        guard let (job, first) = begin else { return nil }
        let surroundings = self.context
        let thread = ThreadContext.current
        let outer = thread.pointee.callbackJob
        thread.pointee.callbackJob = ObjectIdentifier(self)
        defer { thread.pointee.callbackJob = outer }
        var (action, remaining) = (first, limit)
        // Cancels the tasks of a job that has failed. It runs after the token was released,
        // because a user's didCancel() may not return.
        var sweep: CancelSweep?
        while true {
            switch action {
            case .none:
                // Retained, because another thread may end the job as soon as the token is free.
                let kept = job.takeUnretainedValue()
                if completionQueue.token.release(pending) {
                    permit.jobWaits(kept, worker)
                    sweep?.run()
                    return nil
                }
                pending = completionQueue.token.pending
                action = nextAction()
            case .finish(let ending):
                var claimed: (any CallbackDelivery)?
                if finish(job.takeUnretainedValue(), ending, &claimed) { return claimed }
                action = nextAction()
            default:
                let answer = runWithPool {
                    job._withUnsafeGuaranteedRef { perform(action, of: $0, inside: surroundings) }
                }
                pending = completionQueue.token.pending
                if answer == .failJob { sweep = job._withUnsafeGuaranteedRef { fail(action, $0) } }
                let isOnlyWaiting = actionPerformed(action, answer)
                remaining -= 1
                if remaining <= 0, sweep == nil { return self }
                action = isOnlyWaiting ? .none : nextAction()
            }
        }
    }

    private func nextAction() -> JobState.Machine.Action {
        let now = CoarseTime.now
        return send { $0.nextAction(from: completionQueue, at: now) }
    }

    /// Releases the task of a callback that has returned, before the next action is decided.
    ///
    /// No lock is held, because the release may take long. The job may be cancelled in the
    /// meantime.
    ///
    /// - Returns: Whether nothing was due at that time, so the caller can skip `nextAction()`.
    private func actionPerformed(
        _ action: JobState.Machine.Action,
        _ answer: FailureResponse?
    ) -> Bool {
        switch action {
        case .deliver(let message):
            let (released, isOnlyWaiting) = send { state in
                let released = state.delivered(message)
                return (released, state.isOnlyWaiting(completionQueue))
            }
            release(message, released)
            return isOnlyWaiting
        case .callTaskFailed, .callGroupFinished, .callAllTasksFinished, .callCancelled:
            send { state in
                state.codeReturned()
                if answer == .carryOn { state.machine.failureAnswered() }
            }
            ProgressReport(of: self).taskAdvanced()
            return false
        case .none, .discard, .finish:
            return false
        }
    }

    private func release(
        _ delivered: JobState.Message,
        _ released: consuming TaskRecord.Released?
    ) {
        _ = consume released
        // The thread that finished the task may still hold the record.
        _ = delivered.withRecord { $0.releaseCompletion() }
        delivered.release()
        ProgressReport(of: self).taskAdvanced()
    }

    private func perform(
        _ action: JobState.Machine.Action,
        of job: JobController,
        inside surroundings: OperationContext?
    ) -> FailureResponse? {
        if case .discard(let message) = action {
            discard(message)
            return nil
        }
        guard let surroundings else { return call(action, of: job) }
        var answer: FailureResponse?
        surroundings.run { answer = call(action, of: job) }
        return answer
    }

    /// Calls the job's code and returns its response to a failure.
    private func call(_ action: JobState.Machine.Action, of job: JobController) -> FailureResponse?
    {
        switch action {
        case .none, .discard, .finish:
            break
        case .deliver(let message):
            message._withUnsafeGuaranteedRef { message in
                message.deliver(to: job)
                guard features.contains(.observed), let record = message.record else { return }
                TaskNotifier(record).taskDelivered()
            }
        case .callTaskFailed(let message):
            guard
                let (task, error, known) = message.withRecord({
                    ($0.task, $0.failure, $0.terms.failure)
                }), let task, let error
            else { return nil }
            return known ?? job.taskFailed(task, error: error)
        case .callGroupFinished(let number):
            let (completion, group) = ask {
                ($0.groups.completions[number], $0.groups.groups[number])
            }
            if let completion { completion() } else { job.taskGroupFinished(group) }
        case .callAllTasksFinished:
            job.allTasksFinished()
        case .callCancelled:
            job.jobCancelled()
        }
        return nil
    }

    /// Fails the job because of a task.
    ///
    /// - Returns: The sweep that cancels the other tasks. Nil if the end of the job was already
    ///   decided.
    private func fail(_ action: JobState.Machine.Action, _ job: JobController) -> CancelSweep? {
        guard case .callTaskFailed(let message) = action,
            let error = message.withRecord({ $0.failure }),
            let steps = decideEnd(of: job, .failed, failure: error)
        else { return nil }
        return CancelSweep(steps)
    }

    private func discard(_ message: JobState.Message) {
        let owned = message.withRecord { record in
            stopWaiting(for: record, hasFinished: true)
            return send { ($0.taskEnded(record), record.takeCompletion()) }
        }
        withExtendedLifetime(owned) {}
        if owned == nil { message._withUnsafeGuaranteedRef { $0.discard(from: self) } }
        message.release()
    }

    /// Finishes the job, or returns false if it was cancelled just before it would have completed.
    func finish(
        _ job: JobController,
        _ ending: JobState.Machine.Ending,
        _ claimed: inout (any CallbackDelivery)?
    ) -> Bool {
        let failure = ask { $0.failure }
        guard job.decideOutcome(ending, failure: failure) else {
            send { $0.completionRefused() }
            if job.currentLifecycle.contains(.isTimed) { job.watchStopTime() }
            return false
        }
        let left = releaseAll().filter(LeftTask.mustBeNamed).map { LeftTask($0) }
        send { state in
            state.tasksLeft(left)
            state.owner.jobFinished()
        }
        // If `didCancel()` is running, the thread that runs it carries out the end afterwards.
        if job.transition({ $0.decisionStored() }) {
            if job.currentLifecycle.outcome == .succeeded {
                ProgressReport(of: self).jobSucceeded(job)
            }
            job.end(claimed: &claimed, isInsideJobKit: true)
        }
        return true
    }
}
