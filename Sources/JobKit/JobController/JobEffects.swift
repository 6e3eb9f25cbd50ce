import Dispatch
import Foundation
import Synchronization

/// Owns a job's only lock; calls the job's code, one piece at a time, with it released.
///
/// A finish puts its task into the mailbox and adds one to its signals; who finds zero there is the
/// deliverer, until it has taken everything and brought the number back to zero. So nobody waits,
/// and the callbacks are serial, each after the one before. Before `main()` has returned the number
/// is never zero.
final class JobEffects: Sendable {
    /// Of mail that is retained from being put into the mailbox until it was delivered: counting the
    /// references of each step's copies would cost more than the rest of the delivery.
    typealias Machine = JobStateMachine<Unmanaged<JobMail>>

    struct State {
        var machine = Machine()
        var reader = JobMailbox.Reader()
        var handover = HandoverStateMachine<TaskRecord>()
        var tasks = TaskList()
        var groups = JobGroups()
        /// Set from the start to the finish: a started job keeps itself alive.
        var job: JobController?
        /// The job, as long as it lives; set when somebody observes it.
        weak var owner: JobController?
        var observers = JobObservers()
        var tally = ProgressTally()
        /// Nil until somebody asks for it.
        var progress: JobProgress?
        /// The operation whose callback is running, if anybody observes.
        var causeID: Int?
        var failure: (any Error)?
        /// The tasks of several jobs, or of no ``ConcurrentOperation``, that were not delivered.
        var undelivered: Set<ObjectIdentifier> = []
        /// Tasks on their way into their queues, in order, while one thread puts them there.
        var handingOver = FIFO<Departure>()
        var isHandingOver = false
        /// Where callbacks run that no thread of JobKit's is at hand for; made when it is needed.
        var deliveryQueue: DispatchQueue?
    }

    let state = Guarded(State())
    let mailbox = JobMailbox()
    /// The value of the signals, and a few more, when nothing is delivered any more.
    private static let closed = Int.min / 2
    /// Whether the job, or one above it, has observers.
    let isObserved = Atomic(false)
    /// Whether somebody asked for the progress of the job, or of one above it.
    let reportsProgress = Atomic(false)
    /// Whether a finish has to see to the places of its group.
    let hasWidths = Atomic(false)
    let callbackQueue: DispatchQueue?
    /// The queue in which the job holds a place that it may lend, retained: set before the signals
    /// let anybody read it.
    let placeQueue = Atomic<Unmanaged<TaskQueueEffects>?>(nil)

    init(callbackQueue: DispatchQueue?) {
        self.callbackQueue = callbackQueue
    }

    deinit {
        guard let queue = placeQueue.load(ordering: .acquiring)?.takeRetainedValue() else { return }
        queue.jobCount.subtract(1, ordering: .sequentiallyConsistent)
    }

    /// Whether the job has nothing to run until one of its tasks finishes.
    var onlyWaits: Bool { mailbox.signals.load(ordering: .sequentiallyConsistent) == 0 }

    /// Whether the job was started in this queue, and so is among the jobs that the queue counts.
    func hasPlace(in queue: TaskQueueEffects) -> Bool {
        placeQueue.load(ordering: .acquiring)?.toOpaque()
            == Unmanaged.passUnretained(queue).toOpaque()
    }

    /// The jobs that track `operation` and have not heard of its finish.
    static func jobsTracking(_ operation: Operation) -> [JobController] {
        effectsTracking(operation).compactMap { $0.state.withLock { $0.job } }
    }

    /// The effects of the jobs that track `operation` and have not heard of its finish.
    static func effectsTracking(_ operation: Operation) -> [JobEffects] {
        guard let concurrent = operation as? ConcurrentOperation else {
            return foreignTrackers.withLock { $0[ObjectIdentifier(operation)] ?? [] }
        }
        return concurrent.hooks.withLock { $0.subscribers }
            .map(\.effects)
    }

    /// The jobs of plain operations, which cannot know them.
    static let foreignTrackers = Guarded<[ObjectIdentifier: [JobEffects]]>([:])

    // MARK: Life

    /// The job is being started; returns whether `main()` is to be called.
    func begin(_ job: JobController, mayEnterMain: Bool) -> Bool {
        if let queue = job.hooks.withLock({ $0.queue }) {
            queue.jobCount.add(1, ordering: .sequentiallyConsistent)
            placeQueue.store(.passRetained(queue), ordering: .releasing)
        }
        let (entersMain, hasTasks) = state.withLock { state in
            state.job = job
            let hasTasks = state.machine.openCount > 0
            guard mayEnterMain, state.machine.ending == nil else {
                state.machine.startedWithoutMain()
                return (false, hasTasks)
            }
            state.machine.mainEntered()
            return (true, hasTasks)
        }
        if hasTasks { offerPlacesToTasks() }
        return entersMain
    }

    /// `main()` has returned: from now on whoever finds the signals at zero may deliver.
    func mainReturned() {
        state.withLock {
            if $0.machine.isStarted, !$0.machine.isAfterMain { $0.machine.mainReturned() }
        }
        mailbox.signals.store(0, ordering: .sequentiallyConsistent)
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
        let (records, groups) = state.withLock { state -> ([TaskRecord], JobGroups) in
            defer { state.groups.forgetCompletions() }
            state.deliveryQueue = nil
            return (state.tasks.removeAll(), state.groups)
        }
        let left = records.compactMap { release($0) }
        _ = groups
        // The mail that comes from now on is thrown away by who brings it.
        mailbox.signals.store(Self.closed, ordering: .sequentiallyConsistent)
        throwAwayMail()
        return left.compactMap(\.task)
    }

    /// Nobody delivers any more; whoever puts mail throws it away.
    func throwAwayMail() {
        while let mail = state.withLock({ mailbox.takeFirst(&$0.reader) }) { mail.release() }
    }

    /// What a record owned, to be released with no lock held.
    struct Remains {
        let task: Operation?
        let finishHook: FinishHook?
        let queue: (any OperationScheduling)?
    }

    private func release(_ record: TaskRecord) -> Remains? {
        let remains = state.withLock { self.remains(of: record, &$0) }
        _ = remains.finishHook?.detach()
        record.releaseCompletion()
        return remains
    }

    /// Empties a record whose task is no longer any concern of the job's.
    func remains(of record: TaskRecord, _ state: inout State) -> Remains {
        let task = record.task.take()
        if let task { forgetUndelivered(task, isConcurrent: record.isConcurrent, &state) }
        leaveQueue(record, &state)
        record.isSettled = true
        return Remains(
            task: task,
            finishHook: record.finishHook.take(),
            queue: record.queue.take()
        )
    }
}
