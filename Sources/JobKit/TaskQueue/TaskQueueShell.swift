import Dispatch
import Foundation
import Synchronization

/// Owns the queue's only lock, and starts operations and wakes threads without holding it.
///
/// A queue has up to 64 worker threads. Each is a serial `DispatchQueue`, which has its own thread,
/// so blocked operations take no threads from other queues or from Swift tasks. A worker takes the
/// next operation, starts it, delivers to the job that tracks it if it has finished, and looks for
/// the next one.
final class TaskQueueShell: ContainingQueue {
    let name: String
    private let state: Guarded<TaskQueueState>
    /// A copy of the machine's `needsLending`, which is read without the lock.
    ///
    /// If true, jobs must report when they wait. It is sequentially consistent, like the tokens of
    /// the jobs: the queue sets this and then checks the jobs, and a job begins to wait and then
    /// reads this. Therefore, at least one of the two sees the other.
    let needsLending: Atomic<Bool>
    /// How many jobs were started here and still exist, because none is searched for while it is 0.
    let jobCount = Atomic<Int>(0)
    /// Has a thread that no blocked operation holds.
    let pollQueue: DispatchQueue

    /// The largest number of threads of one queue, which is Dispatch's limit for its own queues.
    static let threadLimit = 64
    /// How often a searching worker reads the clock at most before it checks the queue.
    ///
    /// Limited because no time passes in a controlled schedule.
    private static let clockReadsPerCheck = 64

    init(name: String, concurrencyLimit: Int, quality: DispatchQoS) {
        self.name = name
        pollQueue = DispatchQueue(label: "\(name) readiness", qos: quality)
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let pool = WorkerPool(cores: max(2, cores), limit: Self.threadLimit)
        let workers = TaskQueueWorkers(pool, name: name, quality: quality)
        state = Guarded(TaskQueueState(concurrencyLimit: concurrencyLimit, workers: workers))
        needsLending = Atomic(concurrencyLimit < Int.max)
    }

    /// Changes the queue's state, and wakes a worker if there is something to start.
    ///
    /// - Parameter input: The change.
    /// - Returns: The result of `input`.
    @inline(__always)
    func send<Result>(
        _ input: (inout sending TaskQueueState) -> sending Result
    ) -> sending Result {
        let caller = caller
        let (result, action) = state.withLock { state in
            let result = input(&state)
            updateNeedsLending(state)
            return (result, state.wakeWorker(by: caller))
        }
        carryOut(action)
        return result
    }

    /// The relation of the calling thread to the workers of this queue.
    private var caller: WorkerPool.Caller {
        let context = ThreadContext.current
        guard context.pointee.workerQueue == ObjectIdentifier(self) else { return .other }
        return context.pointee.frame.operation == nil
            ? .workerBetweenOperations : .workerInOperation
    }

    /// Reads or changes state without waking a worker.
    @inline(__always)
    func ask<Result>(
        _ question: (inout sending TaskQueueState) -> sending Result
    ) -> sending Result {
        state.withLock(question)
    }

    // MARK: Workers

    private func carryOut(_ action: WorkerPool.WakeAction) {
        if let worker = action.worker { wake(worker) }
        if action.monitors { monitorWorkers() }
    }

    func wake(_ worker: Int, delivering delivery: (any CallbackDelivery)? = nil) {
        let queue = ask { $0.workers.queue(of: worker) }
        queue.async { [self] in work(worker, delivering: delivery) }
    }

    /// Makes an idle worker deliver to a job, or returns false if no worker is idle.
    ///
    /// The worker continues with the operations that the callbacks add, so no second thread must be
    /// woken.
    func deliverOnIdleWorker(_ delivery: any CallbackDelivery) -> Bool {
        guard let worker = ask({ $0.workers.pool.idleWorker() }) else { return false }
        wake(worker, delivering: delivery)
        return true
    }

    func work(_ index: Int, delivering delivery: (any CallbackDelivery)? = nil) {
        let context = ThreadContext.current
        context.pointee.workerQueue = ObjectIdentifier(self)
        context.pointee.lastFinished = 0
        defer { context.pointee.workerQueue = nil }
        let activity = WorkerActivity(at: DispatchTime.now().uptimeNanoseconds)
        state.withLock { $0.workers.workerArrived(index, activity) }
        if let delivery { context.collectingReports(delivery.deliverAll) }
        var upcoming = next(waiting: context.pointee.waitingJob.take())
        var began = 0
        while let start = upcoming.take() ?? search(index) {
            began &+= 1
            activity.began.store(began, ordering: .relaxed)
            runWithPool { upcoming = run(start, context) }
        }
    }

    /// Takes the next operation and wakes another worker if there are more, or begins to search.
    ///
    /// - Parameters:
    ///   - finished: The operation that the worker has ended, whose permit is returned first.
    ///   - waiting: The job to which the worker has delivered, if it waits now.
    /// - Returns: The next operation, or nil if there is none.
    @inline(__always)
    func next(
        finished: TaskQueueTicket? = nil,
        waiting: ConcurrentOperation? = nil
    ) -> TaskQueueState.StartAction? {
        let (waiters, (start, action)) = state.withLock { state in
            var waiters: TaskQueueState.IdleWaiters = []
            if let finished { waiters = state.operationFinished(finished) }
            updateNeedsLending(state)
            return (waiters, state.takeNext(waiting: waiting))
        }
        carryOut(action)
        for waiter in waiters { waiter() }
        return start
    }

    /// Searches for work a little longer, or returns nil if the worker should end.
    private func search(_ index: Int) -> TaskQueueState.StartAction? {
        let begin = DispatchTime.now().uptimeNanoseconds
        var now = begin
        while true {
            let last = now
            for _ in 0..<Self.clockReadsPerCheck where now < last + WorkerPool.searchTime {
                now = DispatchTime.now().uptimeNanoseconds
            }
            let (start, continues, action) = state.withLock {
                $0.searched(index, from: begin, to: now)
            }
            carryOut(action)
            if !continues { return start }
        }
    }

    /// Starts an operation, delivers to its job if it has finished, and takes the next operation.
    private func run(
        _ start: TaskQueueState.StartAction,
        _ context: UnsafeMutablePointer<ThreadContext>
    ) -> TaskQueueState.StartAction? {
        guard !refused(start) else { return next() }
        let frame = context.start(
            any: start.entry,
            in: StartFrame(start.entry, limitedQueue: limitedNumber, taskStart: .atOnce)
        )
        // Claimed before the permit is returned, because a job with messages keeps its permit. If
        // the operation has not ended, the thread that finishes it must return the permit. That
        // thread may not have looked up the operation's queue yet.
        guard let delivery = frame.delivery,
            context.collectingReports(delivery.claimDelivery)
        else {
            guard frame.hasEnded else { return next() }
            let next = next(finished: start.ticket)
            frame.resumeWaiters()
            return next
        }
        let busy = context.pointee.busyJob.take()
        if frame.hasEnded {
            let waiters = send { $0.operationFinished(start.ticket, busy: busy) }
            for waiter in waiters { waiter() }
            frame.resumeWaiters()
        } else if let busy {
            send { $0.jobBusy(busy) }
        }
        context.collectingReports(delivery.deliverAll)
        return next(waiting: context.pointee.waitingJob.take())
    }

    /// Makes an operation wait again if a dependency was added while it waited for its turn.
    ///
    /// A plain operation whose priority was lowered is ready again, but others may come before it.
    @inline(__always)
    private func refused(_ start: TaskQueueState.StartAction) -> Bool {
        let (operation, isReady) = (start.entry, start.entry.isReady)
        let priority = operation.notifiesQueue ? start.priority : OperationPriority(of: operation)
        guard !isReady || priority.rawValue > start.priority.rawValue else { return false }
        send { $0.machine.startRefused(start.ticket, loweredTo: isReady ? priority : nil) }
        if !isReady { checkReadiness(of: operation) }
        return true
    }

    /// The queue as a number, or 0 if its permits are unlimited.
    var limitedNumber: Int {
        needsLending.load(ordering: .relaxed) ? Int(bitPattern: ObjectIdentifier(self)) : 0
    }

    // MARK: Operations

    func operationFinished(_ operation: ConcurrentOperation) {
        let context = ThreadContext.current
        // This saves two wake-ups for each operation of a limited queue.
        let mayStart = limitedNumber != 0 && context.pointee.mayStartTask(after: operation)
        let (waiters, next) = send {
            ($0.operationFinished(operation), mayStart ? $0.takeNextTask() : nil)
        }
        for waiter in waiters { waiter() }
        if let next { context.pointee.nextTask = (self, next.entry, next.ticket) }
    }

    func startTaken(_ operation: Operation, _ ticket: TaskQueueTicket, atOnce: Bool) {
        guard !refused(.init(entry: operation, ticket: ticket, priority: .normal)) else { return }
        let frame = StartFrame(
            operation,
            limitedQueue: limitedNumber,
            taskStart: atOnce ? .detachedAtOnce : .detached
        )
        _ = ThreadContext.current.start(in: frame) { operation.start() }
    }

    func operationFinished(_ ticket: TaskQueueTicket) {
        for waiter in send({ $0.operationFinished(ticket) }) { waiter() }
    }

    func operationBecameReady(_ operation: Operation) {
        send { $0.change(operation) { $0.entryBecameReady($1) } }
    }

    /// Ends a cancelled operation that was not started, on this thread and without a permit.
    ///
    /// This works even if the queue is suspended, full or waits at a barrier (Q7). An operation
    /// that would call user code waits for its turn instead.
    func operationCancelled(_ operation: Operation) {
        // A plain operation is cancelled first and ready a moment later. Foundation traps if it is
        // started between the two. It is looked at again.
        guard operation.endsIfStarted else { return checkReadiness(of: operation) }
        guard !operation.hasStarted, let ticket = send({ $0.operationCancelled(operation) }) else {
            return
        }
        let frame = ThreadContext.current.start(any: operation, in: StartFrame(operation))
        frame.delivery?.deliverElsewhere()
        // A ConcurrentOperation notifies the queue itself.
        if frame.hasEnded, !operation.notifiesQueue { operationFinished(ticket) }
    }

    func waitingTicket(of operation: Operation) -> TaskQueueTicket? {
        ask { $0.waitingTicket(of: operation) }
    }

    func operation(waitingAt ticket: TaskQueueTicket) -> Operation? {
        ask { $0.machine.entry(waitingAt: ticket) }
    }

    func changePolls<Result: Sendable>(
        _ change: (inout ReadinessPolls) -> Result
    ) -> Result {
        ask { change(&$0.polls) }
    }

    func operationPriorityChanged(_ operation: Operation) {
        OperationPriority.changed(of: operation) { priority in
            send { $0.change(operation) { $0.priorityChanged($1, to: priority) } }
        }
    }
}
