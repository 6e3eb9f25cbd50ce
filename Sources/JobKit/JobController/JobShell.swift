import Dispatch
import Foundation
import Synchronization

/// Owns a job's only lock; calls the job's code, one piece at a time, with it released.
///
/// A finish puts its task into the mailbox and claims the mailbox's ``DeliveryTurn``; who gets it
/// is the deliverer, until it has taken everything and given the turn back. So nobody waits, and
/// the callbacks are serial, each after the one before. `main()` has the turn until it has
/// returned.
final class JobShell: CallbackDelivery {
    /// The mail is retained from its way into the mailbox until it was delivered.
    ///
    /// Unmanaged, because counting the references of each step's copies would cost more than the
    /// rest of the delivery.
    typealias Machine = JobStateMachine<Unmanaged<JobMail>>

    struct State {
        var machine = Machine()
        var reader = JobMailbox.Reader()
        var admission = JobAdmission()
        var tasks = TaskList()
        var groups = JobGroups()
        /// Set from the start to the finish: a started job keeps itself alive.
        var job: JobController?
        /// The job, as long as it lives; set when somebody observes it.
        weak var owner: JobController?
        var observers = JobObservers()
        var tally = ProgressTally()
        /// A finished task counts once it was delivered or discarded.
        var counts = TaskCounts()
        var contexts = JobContexts()
        /// Nil until somebody asks for it.
        var progress: JobProgress?
        /// The operation whose callback is running or was the last, if anybody observes.
        var causeID: Int?
        /// The callback that is running.
        var callback: RunningCallback?
        /// The queue of Foundation's in which the job was started.
        weak var startQueue: OperationQueue?
        var failure: (any Error)?
        /// The tasks of several jobs, or of no ``ConcurrentOperation``, that were not delivered.
        var undelivered: Set<ObjectIdentifier> = []
        /// Where callbacks run that no thread of JobKit's is at hand for; made when it is needed.
        var deliveryQueue: DispatchQueue?
    }

    let state = Guarded(State())
    let mailbox = JobMailbox()
    /// Whether the job, or one above it, has observers.
    let isObserved = Atomic(false)
    /// Whether somebody asked for the progress of the job, or of one above it.
    let reportsProgress = Atomic(false)
    /// Whether the job, or one above it, has a context.
    let hasContext = Atomic(false)
    /// Whether a finish has to give back a place of its group.
    let countsGroups = Atomic(false)
    let callbackQueue: DispatchQueue?
    /// Since when the `callbackQueue` has been asked for a delivery, as a ``CoarseTime``; 0 where
    /// it is not.
    let callbackQueueAsked = Atomic<CoarseTime.RawValue>(0)
    let place = LentPlace()

    init(callbackQueue: DispatchQueue?) {
        self.callbackQueue = callbackQueue
    }

    /// Whether the job has nothing to run until one of its tasks finishes.
    var onlyWaits: Bool { mailbox.turn.isOpen }

    /// The job, from its start to its finish.
    var startedJob: JobController? { state.withLock { $0.job } }

    /// The shells of the jobs that track `operation` and have not heard of its finish.
    static func tracking(_ operation: Operation) -> [JobShell] {
        TaskRecord.tracking(operation).map(\.shell)
    }

    // MARK: Life

    /// The job is being started; returns whether `main()` is to be called.
    func begin(_ job: JobController, mayEnterMain: Bool) -> Bool {
        place.jobStarts(job)
        let (entersMain, hasTasks) = state.withLock { state in
            state.job = job
            let hasTasks = state.machine.openCount > 0
            guard mayEnterMain, state.machine.ending == nil else {
                state.machine.startedWithoutMain()
                return (false, hasTasks)
            }
            state.machine.mainEntered()
            state.admission.jobStarted()
            return (true, hasTasks)
        }
        if hasTasks {
            TaskQueueShell.offerPlaces(of: job, to: tasks)
            putAdmitted()
        }
        return entersMain
    }

    /// `main()` has returned: from now on whoever takes the turn may deliver.
    func mainReturned() {
        state.withLock {
            if $0.machine.isStarted, !$0.machine.isAfterMain { $0.machine.mainReturned() }
        }
        mailbox.turn.open()
    }

    /// Ends the job, unless something else has decided its end; `store` keeps what that brings.
    func requestEnd(
        _ ending: Machine.Ending,
        failure: (any Error)? = nil,
        store: () -> Void = {}
    ) -> Bool {
        state.withLock { state in
            guard state.machine.endRequested(ending) else { return false }
            state.failure = failure
            store()
            return true
        }
    }

    /// Lets go of everything; returns what a job that never ran still owned.
    func letGo() -> [Operation] {
        let (records, completions) = state.withLock { state in
            state.deliveryQueue = nil
            return (state.tasks.removeAll(), state.groups.takeCompletions())
        }
        let left = records.compactMap { release($0) }
        withExtendedLifetime(completions) {}
        // The mail that comes from now on is thrown away by who brings it.
        mailbox.turn.close()
        throwAwayMail()
        return left.compactMap(\.task)
    }

    /// Nobody delivers any more; whoever puts mail throws it away.
    func throwAwayMail() {
        while let mail = state.withLock({ state in
            state.machine.takeArrival() ?? mailbox.takeFirst(&state.reader)
        }) { mail.release() }
    }

    /// What a record owned, to be released with no lock held.
    struct Remains {
        let task: Operation?
        let queue: (any OperationScheduling)?
    }

    private func release(_ record: TaskRecord) -> Remains? {
        let (remains, completion) = state.withLock { state in
            (self.remains(of: record, &state), record.takeCompletion())
        }
        if let task = remains.task { unsubscribe(record, from: task) }
        withExtendedLifetime(completion) {}
        return remains
    }

    /// Empties a record whose task is no longer any concern of the job's.
    func remains(of record: TaskRecord, _ state: inout State) -> Remains {
        let task = record.task.take()
        if let task { forgetUndelivered(task, isConcurrent: record.isConcurrent, &state) }
        state.admission.taskFinished(record)
        return Remains(
            task: task,
            queue: record.queue.take()
        )
    }
}
