import Dispatch
import Foundation

/// The state of a queue, guarded by the lock of its ``TaskQueueShell``.
///
/// The machine decides which operation starts next. The methods here are its inputs in terms of
/// operations: each method looks up the slot of its operation.
struct TaskQueueState {
    typealias Machine = TaskQueueStateMachine<Operation>
    typealias StartAction = Machine.StartAction
    typealias IdleWaiters = [@Sendable () -> Void]

    var machine: Machine
    var workers: TaskQueueWorkers
    /// Whether a plain operation was added since the queue was empty.
    private var mayHoldPlain = false
    var polls = ReadinessPolls()
    /// Called when no operation is left in the queue.
    private var idleWaiters: IdleWaiters = []
    /// The queue itself, while it contains an operation.
    private var keptAlive: TaskQueueShell?

    init(concurrencyLimit: Int, workers: TaskQueueWorkers) {
        machine = Machine(concurrencyLimit: concurrencyLimit)
        self.workers = workers
    }

    // MARK: Workers

    /// Decides which worker to wake if there is something to start.
    @inline(__always)
    mutating func wakeWorker(by caller: WorkerPool.Caller) -> WorkerPool.WakeAction {
        workers.pool.wakeAction(startable: machine.startableCount, by: caller)
    }

    /// Evaluates a sample of the workers, as ``WorkerPool/sampled(_:at:)`` describes.
    mutating func workersSampled(
        _ sample: WorkerPoolSizer.Sample,
        at now: UInt64
    ) -> (woken: [Int], pause: UInt64?) {
        var sample = sample
        sample.active = workers.pool.active
        (sample.startable, sample.startCount) = (machine.startableCount, machine.startCount)
        return workers.pool.sampled(sample, at: now)
    }

    // MARK: Starting

    /// Takes the next operation and wakes another worker if there are more, or begins to search.
    ///
    /// If the worker has delivered to a job that waits now, `waiting` is that job.
    @inline(__always)
    mutating func takeNext(waiting: ConcurrentOperation?) -> (StartAction?, WorkerPool.WakeAction) {
        if let waiting { jobWaits(waiting) }
        guard !workers.pool.hasTooMany, let start = machine.nextStart() else {
            workers.pool.searchBegan()
            return (nil, .nobody)
        }
        return (start, wakeWorker(by: .other))
    }

    /// Takes the next operation if any thread may start it.
    mutating func takeNextTask() -> StartAction? {
        guard let slot = machine.upcomingSlot(),
            machine.slots[slot].entry?.mayStartOnAnyThread == true
        else { return nil }
        return machine.nextStart()
    }

    /// Evaluates a worker's search: it takes the next operation, continues, or leaves.
    ///
    /// The search has lasted from `begin` to `now`, in nanoseconds.
    ///
    /// - Returns: The next operation, or nil if there is none, whether the worker must continue to
    ///   search, and the action of the caller.
    mutating func searched(
        _ worker: Int,
        from begin: UInt64,
        to now: UInt64
    ) -> (start: StartAction?, continues: Bool, action: WorkerPool.WakeAction) {
        workers.pool.measure(at: now, startCount: machine.startCount)
        let continues = workers.pool.searchContinues(after: now - begin)
        guard !workers.pool.hasTooMany, let start = machine.nextStart() else {
            if continues, machine.startableCount == 0 { return (nil, true, .nobody) }
            workers.pool.searchEnded()
            return (nil, false, workers.workerLeft(worker, startable: machine.startableCount))
        }
        workers.pool.searchEnded()
        return (start, false, wakeWorker(by: .other))
    }

    // MARK: Operations

    /// Enqueues an operation.
    ///
    /// - Parameters:
    ///   - request: The operation.
    ///   - queue: The queue of this state.
    /// - Returns: The ticket.
    @inline(__always)
    mutating func operationAdded(
        _ request: EnqueueRequest,
        to queue: TaskQueueShell
    ) -> TaskQueueTicket {
        if keptAlive == nil { keptAlive = queue }
        let slot = machine.entryAdded(
            request.operation,
            priority: request.priority,
            isReady: request.isReady,
            isBarrier: request.isBarrier,
            job: machine.needsLending ? request.job.flatMap { self.slot(of: $0) } : nil
        )
        if request.isConcurrent {
            unsafeDowncast(request.operation, to: ConcurrentOperation.self).queueSlot = Int32(slot)
        } else {
            mayHoldPlain = true
        }
        return machine.slots[slot].ticket
    }

    /// Changes the machine, unless the operation has left the queue.
    mutating func change(_ operation: Operation, _ input: (inout Machine, _ slot: Int) -> Void) {
        if let slot = slot(of: operation) { input(&machine, slot) }
    }

    /// Withdraws a cancelled operation, and returns its ticket if the caller must end it.
    mutating func operationCancelled(_ operation: Operation) -> TaskQueueTicket? {
        guard let slot = slot(of: operation), machine.entryCancelled(slot) else { return nil }
        return machine.slots[slot].ticket
    }

    /// Removes a finished operation, and returns the waiters to call if no operation is left.
    mutating func operationFinished(_ operation: ConcurrentOperation) -> IdleWaiters {
        slot(of: operation).map { remove($0) } ?? []
    }

    /// Removes a finished operation, and returns the waiters to call if no operation is left.
    ///
    /// The job that receives this finish is marked as busy first, so it keeps the permit that is
    /// returned.
    @inline(__always)
    mutating func operationFinished(
        _ ticket: TaskQueueTicket,
        busy: ConcurrentOperation? = nil
    ) -> IdleWaiters {
        if let busy { jobBusy(busy) }
        return machine.slots.isCurrent(ticket) ? remove(ticket.slot) : []
    }

    @inline(__always)
    private mutating func remove(_ slot: Int) -> IdleWaiters {
        guard machine.entryFinished(slot) else { return [] }
        mayHoldPlain = false
        // Not the last reference, because a method of the queue calls this.
        keptAlive = nil
        return exchange(&idleWaiters, with: [])
    }

    /// Adds a waiter to call when no operation is left, or returns false if the queue is already
    /// empty.
    mutating func idleAwaited(by waiter: @escaping @Sendable () -> Void) -> Bool {
        guard machine.count > 0 else { return false }
        idleWaiters.append(waiter)
        return true
    }

    /// The plain operations that could be started, if necessary after a permit becomes free.
    var readyPlainOperations: [Operation] {
        guard mayHoldPlain else { return [] }
        return machine.entries { $0.state == .ready || $0.state == .reserved }
            .filter { !$0.notifiesQueue }
    }

    /// The slot of the operation, or nil before it was added and after it has finished.
    private func slot(of operation: Operation) -> Int? {
        occupied(operation.slotInQueue, by: operation)
    }

    private func slot(of operation: ConcurrentOperation) -> Int? {
        occupied(Int(operation.queueSlot), by: operation)
    }

    @inline(__always)
    private func occupied(_ slot: Int, by operation: Operation) -> Int? {
        machine.slots.indices.contains(slot) && machine.slots[slot].entry === operation
            ? slot : nil
    }

    // MARK: Waiting jobs

    /// Adds jobs that wait for an operation.
    mutating func jobsFound(_ jobs: [ConcurrentOperation], waitingFor operation: Operation) {
        let jobs = jobs.compactMap { slot(of: $0) }
        change(operation) { $0.jobsFound(jobs, waitingFor: $1) }
    }

    /// Marks a job as waiting: it has nothing to run until one of its tasks finishes.
    ///
    /// Ignored if a message has arrived since, because the job has then reported that it is busy.
    mutating func jobWaits(_ job: ConcurrentOperation) {
        if job.onlyWaits, let slot = slot(of: job) { machine.jobWaits(slot) }
    }

    /// Marks a job as busy, because it is about to run its own code.
    mutating func jobBusy(_ job: ConcurrentOperation) {
        if let slot = slot(of: job) { machine.jobBusy(slot) }
    }

    // MARK: Readiness

    /// The ticket of an operation that waits to become ready.
    func waitingTicket(of operation: Operation) -> TaskQueueTicket? {
        guard let slot = slot(of: operation), machine.slots[slot].state == .waiting else {
            return nil
        }
        return machine.slots[slot].ticket
    }
}
