import Dispatch
import Foundation
import Synchronization

/// Owns a job's only lock; calls the job's code, one piece at a time, with it released.
///
/// What the job knows is a ``JobState``. ``send(_:)`` tells it something, ``ask(_:)`` asks it and
/// changes nothing. A finish puts its task into the mailbox and claims the mailbox's
/// ``DeliveryTurn``. The thread that gets the turn delivers, until it has taken everything and
/// given the turn back. So no thread waits, and the callbacks are serial. `main()` has the turn
/// until it has returned.
final class JobShell: CallbackDelivery {
    private let state = Guarded(JobState())
    let mailbox = JobMailbox()
    /// Flags for features that most jobs do not use.
    let features = FeaturesInUse()
    let callbackQueue: DispatchQueue?
    /// Since when the `callbackQueue` has been asked for a delivery, as a ``CoarseTime``; 0 where
    /// it is not.
    let callbackQueueAsked = Atomic<CoarseTime.RawValue>(0)
    let permit = JobPermit()
    /// The most that a snapshot has said of how far the job is.
    let shownFraction = ReportedFraction()

    init(callbackQueue: DispatchQueue?) {
        self.callbackQueue = callbackQueue
    }

    /// Feeds an input to what the job knows; then puts the tasks that it admitted into their
    /// queues.
    @inline(__always)
    func send<Result>(_ input: (inout sending JobState) -> sending Result) -> sending Result {
        // Not returned with the result, which would be copied then.
        var mustPut = false
        let result = state.withLock { state in
            let result = input(&state)
            mustPut = state.admission.claimLine()
            return result
        }
        if mustPut { putAdmitted() }
        return result
    }

    /// Asks the job something, which puts no task anywhere.
    ///
    /// Takes the lock of `send` and does none of its work: what another thread has just admitted is
    /// left to that thread.
    @inline(__always)
    func ask<Result>(_ question: (borrowing JobState) -> sending Result) -> sending Result {
        state.withLock { question($0) }
    }

    /// The shells of the jobs that track `operation` and still listen for its finish.
    static func tracking(_ operation: Operation) -> [JobShell] {
        TaskRecord.tracking(operation).map(\.shell)
    }

    // MARK: What is asked of it

    /// What the job's code runs inside; nil where neither the job nor one above it has a context.
    var context: OperationContext? {
        features.contains(.context) ? ask { $0.contexts.current } : nil
    }

    /// The job, from its start to its finish.
    var startedJob: JobController? { ask { $0.owner.started } }

    // MARK: Life

    /// The job is being started; returns whether `main()` is to be called.
    func begin(_ job: JobController, mayEnterMain: Bool) -> Bool {
        permit.jobStarts(job)
        let (entersMain, tasks, mustPut) = state.withLock { state in
            let (entersMain, hasTasks) = state.jobStarted(job, mayEnterMain: mayEnterMain)
            let mustPut = state.admission.claimLine()
            return (entersMain, hasTasks ? state.tasks.operations : [], mustPut)
        }
        // Offered before any task is queued: a nested job that already runs would make this one search
        // all jobs above, and a task that is added searches them itself. The line is claimed, so that
        // no other thread puts one of them meanwhile.
        if !tasks.isEmpty { TaskQueueShell.offerPermits(of: job, to: tasks) }
        if mustPut { putAdmitted() }
        return entersMain
    }

    /// `main()` has returned: from now on the thread that takes the turn may deliver.
    func mainReturned() {
        send { $0.mainReturned() }
        ProgressReport(of: self).taskAdvanced()
        mailbox.turn.open()
    }

    /// Lets go of everything; returns what a job that never ran still owned.
    func letGo() -> [Operation] {
        let (records, completions, contexts) = send { $0.letGo() }
        let left = records.compactMap { release($0) }
        withExtendedLifetime((completions, contexts)) {}
        // Mail that comes from now on is thrown away by the thread that brings it.
        mailbox.turn.close()
        throwAwayMail()
        return left
    }

    /// The mail is not delivered any more: the thread that puts some throws it away.
    func throwAwayMail() {
        while let mail = send({ $0.takeUndeliverable(from: mailbox) }) { mail.release() }
    }

    private func release(_ record: TaskRecord) -> Operation? {
        let (released, completion) = send { ($0.empty(record), record.takeCompletion()) }
        released.task?.removeListener(record)
        withExtendedLifetime((released, completion)) {}
        return released.task
    }
}
