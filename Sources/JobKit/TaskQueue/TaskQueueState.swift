import Dispatch
import Foundation

/// What a queue knows; the lock of its ``TaskQueueShell`` guards it.
///
/// The machine decides which operation starts next. The methods here are its inputs in terms of
/// operations: each finds the slot of its operation.
struct TaskQueueState {
    typealias Machine = TaskQueueStateMachine<Operation>

    var machine: Machine
    var workers: TaskQueueWorkers
    /// Whether a plain operation was added since the queue was empty.
    private var mayHoldPlain = false
    /// Whether a timer looks for plain operations that were cancelled: they do not notify the queue.
    private var looksForCancelled = false
    private var nextSlotToAsk = 0
    private var polls = ReadinessPolls()
    /// Called when no operation is left in the queue.
    private var idleWaiters: [@Sendable () -> Void] = []
    /// The queue itself, as long as an operation stands in it.
    private var keptAlive: TaskQueueShell?

    init(width: Int, workers: TaskQueueWorkers) {
        machine = Machine(width: width)
        self.workers = workers
    }

    // MARK: Workers

    /// What is to be done if there is something to start.
    @inline(__always)
    mutating func callWorker(by caller: WorkerRoster.Caller) -> WorkerRoster.Call {
        workers.roster.call(startable: machine.startableCount, by: caller)
    }

    /// Takes in what a look at the workers has found; see ``WorkerRoster/looked(_:at:)``.
    mutating func lookedAtWorkers(
        _ look: ThreadDemand.Look,
        at now: UInt64
    ) -> (woken: [Int], pause: UInt64?) {
        var look = look
        look.active = workers.roster.active
        (look.startable, look.startCount) = (machine.startableCount, machine.startCount)
        return workers.roster.looked(look, at: now)
    }

    // MARK: Starting

    /// An operation that a worker is to start.
    struct Start {
        let operation: Operation
        let ticket: TaskQueueTicket
        let priority: TaskPriority
    }

    @inline(__always)
    private mutating func start() -> Start? {
        guard let slot = machine.nextSlot(), let operation = machine.slots[slot].entry else {
            return nil
        }
        return Start(
            operation: operation,
            ticket: machine.ticket(slot),
            priority: machine.slots[slot].priority
        )
    }

    /// A worker takes the next operation and wakes another if there is more, or begins to search.
    ///
    /// The job to which it has delivered, if any, waits now.
    @inline(__always)
    mutating func takeNext(waiting: (any WaitingJob)?) -> (Start?, WorkerRoster.Call) {
        if let waiting { jobWaits(waiting) }
        guard !workers.roster.hasTooMany, let start = start() else {
            workers.roster.searchBegan()
            return (nil, .nobody)
        }
        return (start, callWorker(by: .other))
    }

    /// Takes the next operation if any thread may start it.
    mutating func takeNextTask() -> Start? {
        guard let operation = machine.upcomingEntry() as? ConcurrentOperation,
            operation.mayStartOnAnyThread
        else { return nil }
        return start()
    }

    /// What follows when a worker has searched.
    enum Found {
        case start(Start)
        case nothing
        /// It leaves.
        case end
    }

    /// A worker has searched from `begin` to `now`, in nanoseconds: it takes the next operation,
    /// goes on, or leaves.
    mutating func searched(
        _ worker: Int,
        from begin: UInt64,
        to now: UInt64
    ) -> (Found, WorkerRoster.Call) {
        workers.roster.measure(at: now, startCount: machine.startCount)
        let goesOn = workers.roster.searchGoesOn(after: now - begin)
        guard !workers.roster.hasTooMany, let start = start() else {
            if goesOn, machine.startableCount == 0 { return (.nothing, .nobody) }
            workers.roster.searchEnded()
            return (.end, workers.workerLeft(worker, startable: machine.startableCount))
        }
        workers.roster.searchEnded()
        return (.start(start), callWorker(by: .other))
    }

    /// The operation turned out not to be ready when it was to be started.
    mutating func startRefused(_ ticket: TaskQueueTicket) {
        if machine.isCurrent(ticket) { machine.startRefused(ticket.slot) }
    }

    /// The operation has become less urgent since it was ready: others may come before it.
    mutating func startPostponed(_ ticket: TaskQueueTicket, to priority: TaskPriority) {
        if machine.isCurrent(ticket) { machine.startPostponed(ticket.slot, to: priority) }
    }

    // MARK: Operations

    /// Where an operation was placed.
    struct Place {
        let ticket: TaskQueueTicket
        /// Whether the machine knows of a job that waits for it.
        let hasJob: Bool
        /// Whether the caller begins to look for plain operations that were cancelled.
        let mustLookForCancelled: Bool
    }

    @inline(__always)
    mutating func operationAdded(_ arrival: Arrival, to queue: TaskQueueShell) -> Place {
        if keptAlive == nil { keptAlive = queue }
        let job =
            machine.asksWhoWaits
            ? arrival.job?._withUnsafeGuaranteedRef { self.slot(of: $0) } : nil
        let slot = machine.entryAdded(
            arrival.operation,
            priority: arrival.priority,
            isReady: arrival.isReady,
            isBarrier: arrival.isBarrier,
            job: job
        )
        let mustLook = !arrival.isConcurrent && !looksForCancelled
        if arrival.isConcurrent {
            unsafeDowncast(arrival.operation, to: ConcurrentOperation.self).queueSlot =
                Int32(slot)
        } else {
            (mayHoldPlain, looksForCancelled) = (true, true)
        }
        return Place(
            ticket: machine.ticket(slot),
            hasJob: job != nil,
            mustLookForCancelled: mustLook
        )
    }

    /// Some of the plain operations that wait, in rotation, to be asked whether they were
    /// cancelled; nil if there is none, so that the timer ends.
    mutating func plainOperationsToAsk() -> [Operation]? {
        looksForCancelled = mayHoldPlain
        guard mayHoldPlain else { return nil }
        let (entries, next) = machine.unstarted(from: nextSlotToAsk, ReadinessPolls.mostPolled)
        nextSlotToAsk = next
        return entries.filter { !($0 is ConcurrentOperation) && $0.endsWithoutUserCode }
    }

    mutating func operationBecameReady(_ operation: Operation) {
        if let slot = slot(of: operation) { machine.entryBecameReady(slot) }
    }

    /// The operation was cancelled; returns its ticket if the caller must end it.
    mutating func operationCancelled(_ operation: Operation) -> TaskQueueTicket? {
        guard let slot = slot(of: operation), machine.entryCancelled(slot) else { return nil }
        return machine.ticket(slot)
    }

    mutating func priorityChanged(of operation: Operation, to priority: TaskPriority) {
        if let slot = slot(of: operation) { machine.priorityChanged(slot, to: priority) }
    }

    /// What is to be done when no operation is left in the queue.
    struct End {
        /// Released with no lock held.
        let queue: TaskQueueShell?
        let waiters: [@Sendable () -> Void]

        func resumeWaiters() {
            for resume in waiters { resume() }
        }
    }

    /// Returns what is to be done if no operation is left now.
    mutating func operationFinished(_ operation: ConcurrentOperation) -> End? {
        slot(of: operation).flatMap { remove($0) }
    }

    /// Returns what is to be done if no operation is left now.
    ///
    /// The job that is to hear of it is busy first, and so keeps the permit given back.
    @inline(__always)
    mutating func operationFinished(
        _ ticket: TaskQueueTicket,
        busy: Unmanaged<ConcurrentOperation>? = nil
    ) -> End? {
        busy?._withUnsafeGuaranteedRef { jobBusy($0) }
        return machine.isCurrent(ticket) ? remove(ticket.slot) : nil
    }

    @inline(__always)
    private mutating func remove(_ slot: Int) -> End? {
        guard machine.entryFinished(slot) else { return nil }
        mayHoldPlain = false
        return End(queue: keptAlive.take(), waiters: exchange(&idleWaiters, with: []))
    }

    /// A waiter is to be resumed when no operation is left; returns false if none is.
    mutating func idleAwaited(by waiter: @escaping @Sendable () -> Void) -> Bool {
        guard machine.count > 0 else { return false }
        idleWaiters.append(waiter)
        return true
    }

    /// The plain operations that could be started, or could if there were a permit.
    var readyPlainOperations: [Operation] {
        mayHoldPlain ? machine.readyEntries.filter { !($0 is ConcurrentOperation) } : []
    }

    /// The slot in which the operation stands; nil before it was added and after it has finished.
    private func slot(of operation: Operation) -> Int? {
        occupied(operation.slotInQueue, by: operation)
    }

    @inline(__always)
    private func slot(of operation: ConcurrentOperation) -> Int? {
        occupied(Int(operation.queueSlot), by: operation)
    }

    @inline(__always)
    private func occupied(_ slot: Int, by operation: Operation) -> Int? {
        machine.slots.indices.contains(slot) && machine.slots[slot].entry === operation
            ? slot : nil
    }

    // MARK: Jobs that wait

    /// Jobs wait for an operation.
    mutating func jobsFound(_ jobs: [any WaitingJob], waitingFor operation: Operation) {
        guard let slot = slot(of: operation) else { return }
        machine.jobsFound(jobs.compactMap { self.slot(of: $0) }, waitingFor: slot)
    }

    /// The job has nothing to run until one of its tasks finishes.
    ///
    /// Ignored if mail has come since: the job has then reported that it is busy.
    mutating func jobWaits(_ job: any WaitingJob) {
        if job.onlyWaits, let slot = slot(of: job) { machine.jobWaits(slot) }
    }

    /// The job is about to run code of its own.
    mutating func jobBusy(_ job: ConcurrentOperation) {
        if let slot = slot(of: job) { machine.jobBusy(slot) }
    }

    // MARK: Readiness

    /// The ticket of an operation that waits to become ready.
    func waitingTicket(of operation: Operation) -> TaskQueueTicket? {
        guard let slot = slot(of: operation), machine.isWaiting(slot) else { return nil }
        return machine.ticket(slot)
    }

    /// Changes what is polled; see ``PollingQueue``.
    mutating func changePolls<Result: Sendable>(
        _ change: @Sendable (inout ReadinessPolls, (TaskQueueTicket) -> Operation?) -> Result
    ) -> Result {
        // Taken out meanwhile, so that the rest can be read.
        var polls = ReadinessPolls()
        swap(&polls, &self.polls)
        defer { swap(&polls, &self.polls) }
        return change(&polls) { ticket in
            machine.isCurrent(ticket) && machine.isWaiting(ticket.slot)
                ? machine.slots[ticket.slot].entry : nil
        }
    }
}
