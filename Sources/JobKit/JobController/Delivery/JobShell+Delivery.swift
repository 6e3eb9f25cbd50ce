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
    func claimDelivery() -> Bool {
        guard token.acquire() else { return false }
        permit.jobBusy()
        return true
    }

    func deliverClaimed() -> (any CallbackDelivery)? {
        guard callbackQueue == nil else {
            deliverClaimedElsewhere()
            return nil
        }
        return deliver()
    }

    func deliverClaimedElsewhere() {
        if let callbackQueue {
            callbackQueueRequestedAt.store(max(1, CoarseTime.now.rawValue), ordering: .relaxed)
            callbackQueue.async { [self] in deliverOnCallbackQueue() }
        } else if !permit.deliverOnIdleWorker(self) {
            let queue = send { $0.ownQueue }
            queue.async { [self] in deliverAll() }
        }
    }

    /// Delivers on the `callbackQueue`.
    ///
    /// If that finishes the job, another thread delivers to the job above it.
    func deliverOnCallbackQueue() {
        callbackQueueRequestedAt.store(0, ordering: .relaxed)
        deliver(atMost: Self.callbacksPerBlock)?.deliverClaimedElsewhere()
    }

    /// Delivers the end of the job's work on this thread.
    ///
    /// This may be one of Swift's few threads. Therefore, callbacks of the job's tasks, and of jobs
    /// that wait for this one, run elsewhere.
    func deliverWorkEnd() {
        let mayDeliver = callbackQueue == nil && ask { $0.tasks.trackedCount } == 0
        guard mayDeliver, ThreadContext.current.pointee.heldDeliveries == nil else {
            return deliverElsewhere()
        }
        if claimDelivery() { deliver()?.deliverClaimedElsewhere() }
    }

    /// Runs callbacks until none is due.
    ///
    /// - Returns: The job to deliver to next. This is a job that this job's finish has claimed, or
    ///   this job itself if `limit` was reached.
    private func deliver(atMost limit: Int = .max) -> (any CallbackDelivery)? {
        var pending = token.pending
        let now = CoarseTime.now
        // Not retained, because the job cannot finish while this thread has the token.
        let begin = send {
            state -> (job: Unmanaged<JobController>, action: JobState.Machine.Action)? in
            guard let job = state.unretainedJob else { return nil }
            return (job, state.nextAction(at: now))
        }
        guard let (job, first) = begin else { return nil }
        let surroundings = self.context
        let thread = ThreadContext.current
        let outer = (thread.pointee.callbackJob, thread.pointee.collectsReports)
        thread.pointee.callbackJob = ObjectIdentifier(self)
        // Code of the job may deliver to other jobs, whose reports must not wait for its end.
        thread.pointee.collectsReports = false
        defer { (thread.pointee.callbackJob, thread.pointee.collectsReports) = outer }
        var (action, remaining) = (first, limit)
        // Cancels the tasks of a job that has failed. It runs after the token was released,
        // because a user's didCancel() may not return.
        var sweep: CancelSweep?
        while true {
            switch action {
            case .none:
                // Retained, because another thread may end the job as soon as the token is free.
                let kept = job.takeUnretainedValue()
                if token.release(pending) {
                    thread.pointee.collectsReports = outer.1
                    permit.jobWaits(kept)
                    sweep?.run()
                    return nil
                }
                pending = token.pending
                action = nextAction()
            case .finish(let ending):
                var claimed: (any CallbackDelivery)?
                if finish(job.takeUnretainedValue(), ending, &claimed) { return claimed }
                action = nextAction()
            case .discard(let message):
                pending = token.pending
                remaining -= 1
                // The sweep of a failed job must run before this thread stops delivering.
                let continues = remaining > 0 || sweep != nil
                let next = runWithPool { discard(message, continues: continues) }
                guard let next else { return self }
                action = next
            default:
                let response = runWithPool {
                    job._withUnsafeGuaranteedRef { perform(action, of: $0, inside: surroundings) }
                }
                pending = token.pending
                let isOnlyWaiting = job._withUnsafeGuaranteedRef {
                    actionPerformed(action, response, $0, &sweep)
                }
                remaining -= 1
                if remaining <= 0, sweep == nil { return self }
                action = isOnlyWaiting ? .none : nextAction()
            }
        }
    }

    private func nextAction() -> JobState.Machine.Action {
        let now = CoarseTime.now
        return send { $0.nextAction(at: now) }
    }

    /// Releases the task of a callback that has returned, before the next action is decided.
    ///
    /// No lock is held, because the release may take long. The job may be cancelled in the
    /// meantime.
    ///
    /// - Returns: Whether nothing was due at that time, so the caller can skip `nextAction()`.
    private func actionPerformed(
        _ action: JobState.Machine.Action,
        _ response: FailureResponse?,
        _ job: JobController,
        _ sweep: inout CancelSweep?
    ) -> Bool {
        switch action {
        case .none, .discard, .finish:
            return false
        case .deliver(let message):
            let (released, isOnlyWaiting) = send { state in
                let released = state.delivered(message)
                return (released, state.machine.isOnlyWaiting)
            }
            release(message, released)
            return isOnlyWaiting
        case .callTaskFailed(let message):
            if let response, let failure = message.withRecord({ $0.failure }) ?? nil {
                let cancelled = send { $0.failureAnswered(response, failure, of: job) }
                sweep = cancelled.map { CancelSweep(steps(toEnd: job, $0)) }
            }
        case .callGroupFinished, .callAllTasksFinished, .callCancelled:
            send { $0.codeReturned() }
        }
        progressAdvances()
        return false
    }

    private func release(
        _ delivered: JobState.Message,
        _ released: consuming TaskRecord.Released?
    ) {
        _ = consume released
        // The thread that finished the task may still hold the record.
        _ = delivered.withRecord { $0.releaseCompletion() }
        delivered.release()
        progressAdvances()
    }

    private func perform(
        _ action: JobState.Machine.Action,
        of job: JobController,
        inside surroundings: OperationContext?
    ) -> FailureResponse? {
        guard let surroundings else { return call(action, of: job) }
        var response: FailureResponse?
        surroundings.run { response = call(action, of: job) }
        return response
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
                record.notify(.delivered)
            }
        case .callTaskFailed(let message):
            guard
                let (task, error, known) = message.withRecord({
                    ($0.task, $0.failure, $0.terms.failure)
                }), let task, let error
            else { return nil }
            return known ?? job.taskFailed(task, error: error)
        case .callGroupFinished(let number):
            let (completion, group) = ask { $0.group(number) }
            if let completion { completion() } else { job.taskGroupFinished(group) }
        case .callAllTasksFinished:
            job.allTasksFinished()
        case .callCancelled:
            job.jobCancelled()
        }
        return nil
    }

    /// Discards a message of a job that is ending.
    ///
    /// - Returns: The next action, or nil if the caller does not continue.
    private func discard(
        _ message: JobState.Message,
        continues: Bool
    ) -> JobState.Machine.Action? {
        let owned = message.takeRetainedValue()
        owned.discard(from: self)
        let (record, now) = (owned.record, CoarseTime.now)
        let (released, completion, next) = send { state in
            let released = record.map { state.discarded($0) }
            let completion = record?.takeCompletion()
            let next = continues ? state.nextAction(at: now) : nil
            return (released, completion, next)
        }
        withExtendedLifetime((released, completion)) {}
        return next
    }

    /// Finishes the job, or returns false if its state has changed since ``nextAction()``.
    func finish(
        _ job: JobController,
        _ ending: JobState.Machine.Ending,
        _ claimed: inout (any CallbackDelivery)?
    ) -> Bool {
        let error = job.error(of: ending)
        guard let decided = send({ $0.finished(job, ending, error) }) else { return false }
        if decided.decision == .takenAsCancel { job.announceCancel() }
        let left = releaseAll(decided.owned).filter(LeftTask.mustBeNamed).map { LeftTask($0) }
        send { $0.jobFinished(leaving: left) }
        // If `didCancel()` is running, the thread that runs it carries out the end afterwards.
        if job.transition({ $0.decisionStored() }) {
            if job.currentLifecycle.outcome == .succeeded {
                progressSucceeds(job)
            }
            claimed = job.end(isInsideJobKit: true)
        }
        return true
    }
}
