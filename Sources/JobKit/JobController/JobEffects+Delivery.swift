import Dispatch
import Foundation
import Synchronization

/// Delivering: the only switch over the steps of ``JobStateMachine``.
extension JobEffects {
    /// How many callbacks a `callbackQueue` runs at a stretch, so that a main queue stays responsive.
    private static let callbacksAtAStretch = 64

    /// Notes that there is something to deliver; returns whether the caller must deliver it.
    func claimDelivery() -> Bool {
        let (before, _) = mailbox.signals.add(1, ordering: .acquiringAndReleasing)
        guard before == 0 else {
            if before < 0 { throwAwayMail() }
            return false
        }
        tellPlaceQueue { $0.jobBusy($1) }
        return true
    }

    /// Delivers on this thread, which has no code of the user's on its stack, if nobody else does.
    func deliverHere() {
        if claimDelivery() { deliverAll() }
    }

    /// Delivers on another thread if nobody does already.
    func deliverElsewhere() {
        let context = ThreadContext.current
        guard context.heldMail == nil else {
            context.heldMail?.append(self)
            return
        }
        if claimDelivery() { deliverClaimedElsewhere() }
    }

    /// Delivers, having claimed to; goes on with the jobs that so finish, one after another.
    func deliverAll() {
        var next: JobEffects? = self
        while let effects = next {
            guard effects.callbackQueue == nil else { return effects.deliverClaimedElsewhere() }
            next = effects.deliver()
        }
    }

    private func deliverClaimedElsewhere() {
        if let callbackQueue {
            callbackQueue.async { [self] in deliverOnCallbackQueue() }
        } else if placeQueue.load(ordering: .acquiring)?.takeUnretainedValue()
            .deliverOnIdleWorker(self) != true
        {
            deliveryQueue.async { [self] in deliverAll() }
        }
    }

    /// Delivers on the `callbackQueue`; a job that so finishes is the concern of another thread.
    func deliverOnCallbackQueue() {
        deliver(atMost: Self.callbacksAtAStretch)?.deliverClaimedElsewhere()
    }

    /// A serial queue has a thread of its own, whatever blocks the threads of others.
    private var deliveryQueue: DispatchQueue {
        state.withLock { state in
            if let queue = state.deliveryQueue { return queue }
            let queue = DispatchQueue(label: "JobKit.callbacks")
            state.deliveryQueue = queue
            return queue
        }
    }

    /// Runs callbacks until there is nothing to tell.
    ///
    /// - Returns: A job that has something to deliver now, as claimed by this one's finish; or this
    ///   job itself, when the limit was reached.
    private func deliver(atMost limit: Int = .max) -> JobEffects? {
        guard let job = state.withLock({ $0.job }) else { return nil }
        var context = Delivery(remaining: limit)
        while true {
            let seen = mailbox.signals.load(ordering: .acquiring)
            while true {
                let step = nextStep(&context)
                if case .none = step { break }
                if case .finish(let ending) = step {
                    if finish(job, ending, &context) { return context.claimed }
                    continue
                }
                perform(step, of: job, &context)
                context.remaining -= 1
                if context.remaining == 0 {
                    endStretch(&context)
                    return self
                }
            }
            let (isIdle, _) = mailbox.signals.compareExchange(
                expected: seen,
                desired: 0,
                ordering: .sequentiallyConsistent
            )
            if isIdle {
                tellPlaceQueue { $0.jobWaits($1) }
                return nil
            }
        }
    }

    /// What one stretch of deliveries remembers from step to step.
    private struct Delivery {
        var remaining: Int
        /// The record whose callback has returned.
        var delivered: Unmanaged<JobMail>?
        var answer: FailureResponse?
        var claimed: JobEffects?
    }

    private func nextStep(_ context: inout Delivery) -> Machine.Step {
        let (delivered, answer) = (context.delivered.take(), context.answer.take())
        let (step, remains) = state.withLock { state in
            let remains = performed(delivered, answer, &state)
            if !state.machine.hasArrivals, !mailbox.isEmpty { takeMail(&state) }
            let step = state.machine.nextStep()
            if case .deliver(let mail) = step { mail.withRecord { $0.isSettled = true } }
            return (step, remains)
        }
        release(delivered, remains)
        return step
    }

    /// Notes what the last step of a stretch has brought.
    private func endStretch(_ context: inout Delivery) {
        let (delivered, answer) = (context.delivered.take(), context.answer.take())
        release(delivered, state.withLock { performed(delivered, answer, &$0) })
    }

    /// The last step was performed; returns what a record owned whose callback has returned.
    private func performed(
        _ delivered: Unmanaged<JobMail>?,
        _ answer: FailureResponse?,
        _ state: inout State
    ) -> Remains? {
        if answer == .carryOn { state.machine.carryOnAnswered() }
        return delivered?
            .withRecord { record in
                state.tasks.remove(record)
                state.tally.taskDelivered(weight: record.weight, fraction: record.fraction)
                return remains(of: record, &state)
            }
    }

    /// Releases a task and its closure, with no lock held, before the next callback.
    private func release(_ delivered: Unmanaged<JobMail>?, _ remains: consuming Remains?) {
        guard let delivered else { return }
        _ = consume remains
        // The thread of the finish may still hold the record.
        _ = delivered.withRecord { $0.releaseCompletion() }
        delivered.release()
        progressChanged()
    }

    private func takeMail(_ state: inout State) {
        guard let mail = mailbox.takeFirst(&state.reader) else { return }
        let (group, hasFailed) = mail.withRecord { ($0.group, $0.failure != nil) } ?? (nil, false)
        state.machine.mailArrived(mail, group: group, hasFailed: hasFailed)
    }

    private func perform(
        _ step: Machine.Step,
        of job: JobController,
        _ context: inout Delivery
    ) {
        switch step {
        case .none, .finish:
            break
        case .deliver(let mail):
            mail._withUnsafeGuaranteedRef { mail in
                if isObserved.load(ordering: .acquiring) {
                    deliverObserved(mail, to: job)
                } else {
                    mail.deliver(to: job)
                }
            }
            context.delivered = mail
        case .askAboutFailure(let mail):
            guard let (task, error) = mail.withRecord({ ($0.task, $0.failure) }),
                let task, let error
            else { return }
            context.answer = job.taskFailed(task, error: error)
            if context.answer == .failJob { end(job, .failed, failure: error) }
        case .discard(let mail):
            discard(mail)
        case .tellGroupFinished(let number):
            let (completion, group) = state.withLock {
                ($0.groups.completions[number], $0.groups.groups[number])
            }
            if let completion { completion() } else { job.taskGroupFinished(group) }
        case .tellAllTasksFinished:
            job.allTasksFinished()
        case .tellCancelled:
            job.jobCancelled()
        }
    }

    private func discard(_ mail: Unmanaged<JobMail>) {
        let remains = mail.withRecord { record in
            settle(record)
            return state.withLock { state in
                state.tasks.remove(record)
                return self.remains(of: record, &state)
            }
        }
        _ = remains
        _ = mail.withRecord { $0.releaseCompletion() }
        mail.release()
    }

    /// Ends the job; returns false if it was cancelled while it was about to complete.
    private func finish(
        _ job: JobController,
        _ ending: Machine.Ending,
        _ context: inout Delivery
    ) -> Bool {
        let failure = state.withLock { $0.failure }
        guard job.conclude(ending, failure: failure) else {
            state.withLock { $0.machine.completionRefused() }
            return false
        }
        _ = letGo()
        state.withLock { $0.job = nil }
        job.end(claimedMail: &context.claimed, isInsideJobKit: true)
        return true
    }

    /// Tells the queue in which the job has its place, if anybody there may want it.
    private func tellPlaceQueue(_ body: (TaskQueueEffects, JobController) -> Void) {
        guard let queue = placeQueue.load(ordering: .acquiring) else { return }
        // Not retained to be asked: every finish would take the count's cache line from other cores.
        let asks = queue._withUnsafeGuaranteedRef {
            $0.asksForLenders.load(ordering: .sequentiallyConsistent)
        }
        guard asks, let job = state.withLock({ $0.job }) else { return }
        body(queue.takeUnretainedValue(), job)
    }
}
