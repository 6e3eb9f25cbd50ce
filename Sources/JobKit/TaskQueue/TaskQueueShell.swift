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
    /// Changes when there is work and a worker is searching for some.
    private let wakeSignal = Atomic<Int>(0)

    /// The largest number of threads of one queue, which is Dispatch's limit for its own queues.
    static let threadLimit = 64
    /// How often a searching worker reads `wakeSignal` before it reads the clock, which takes as
    /// long.
    #if SCHEDULES
    private static let readsPerClockRead = 1
    #else
    private static let readsPerClockRead = 64
    #endif

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
    /// - Parameters:
    ///   - caller: The kind of the calling thread, if it is known.
    ///   - input: The change.
    /// - Returns: The result of `input`.
    @inline(__always)
    func send<Result>(
        by caller: WorkerPool.Caller? = nil,
        _ input: (inout sending TaskQueueState) -> sending Result
    ) -> sending Result {
        let caller = caller ?? self.caller
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
        switch action {
        case .nobody: break
        case .worker(let worker): wake(worker)
        case .searching: wakeSignal.add(1, ordering: .relaxed)
        case .monitor: monitorWorkers()
        case .workerAndMonitor(let worker):
            wake(worker)
            monitorWorkers()
        }
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
        let (idle, (start, action)) = state.withLock { state in
            let idle = finished.flatMap { state.operationFinished($0) }
            updateNeedsLending(state)
            return (idle, state.takeNext(waiting: waiting))
        }
        carryOut(action)
        idle?.resumeWaiters()
        return start
    }

    /// Searches for work a little longer, or returns nil if the worker should end.
    private func search(_ index: Int) -> TaskQueueState.StartAction? {
        let begin = DispatchTime.now().uptimeNanoseconds
        var now = begin
        while true {
            now = waitForSignal(since: now)
            let (start, continues, action) = state.withLock {
                $0.searched(index, from: begin, to: now)
            }
            carryOut(action)
            if !continues { return start }
        }
    }

    /// Waits for a sign of work, or until it is time to check the queue.
    ///
    /// - Returns: The time then, in nanoseconds.
    private func waitForSignal(since begin: UInt64) -> UInt64 {
        let sign = wakeSignal.load(ordering: .relaxed)
        var now = begin
        while now < begin + WorkerPool.searchTime {
            for _ in 0..<Self.readsPerClockRead where wakeSignal.load(ordering: .relaxed) != sign {
                return DispatchTime.now().uptimeNanoseconds
            }
            now = DispatchTime.now().uptimeNanoseconds
        }
        return now
    }

    /// Starts an operation, delivers to its job if it has finished, and takes the next operation.
    private func run(
        _ start: TaskQueueState.StartAction,
        _ context: UnsafeMutablePointer<ThreadContext>
    ) -> TaskQueueState.StartAction? {
        guard !refused(start.operation, start.ticket), !postponed(start) else { return next() }
        let frame = context.start(
            any: start.operation,
            in: StartFrame(start.operation, limitedQueue: limitedNumber, taskStart: .atOnce)
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
            send(by: .workerBetweenOperations) { $0.operationFinished(start.ticket, busy: busy) }?
                .resumeWaiters()
            frame.resumeWaiters()
        } else if let busy {
            send { $0.jobBusy(busy) }
        }
        context.collectingReports(delivery.deliverAll)
        return next(waiting: context.pointee.waitingJob.take())
    }

    /// Makes an operation wait again if a dependency was added while it waited for its turn.
    @inline(__always)
    private func refused(_ operation: Operation, _ ticket: TaskQueueTicket) -> Bool {
        guard !operation.isReady else { return false }
        send { $0.startRefused(ticket) }
        checkReadiness(of: operation)
        return true
    }

    /// Makes a plain operation ready again if its priority was lowered, because others may come
    /// before it now.
    @inline(__always)
    private func postponed(_ start: TaskQueueState.StartAction) -> Bool {
        guard !start.operation.notifiesQueue else { return false }
        let priority = OperationPriority(of: start.operation)
        guard priority.rawValue > start.priority.rawValue else { return false }
        send { $0.startPostponed(start.ticket, to: priority) }
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
        guard limitedNumber != 0, context.pointee.mayStartTask(after: operation) else {
            send { $0.operationFinished(operation) }?.resumeWaiters()
            return
        }
        let (idle, next) = send { ($0.operationFinished(operation), $0.takeNextTask()) }
        idle?.resumeWaiters()
        context.pointee.nextTask = next.map { (self, $0.operation, $0.ticket) }
    }

    func startTaken(_ operation: Operation, _ ticket: TaskQueueTicket, atOnce: Bool) {
        guard !refused(operation, ticket) else { return }
        let frame = StartFrame(
            operation,
            limitedQueue: limitedNumber,
            taskStart: atOnce ? .detachedAtOnce : .detached
        )
        _ = ThreadContext.current.start(in: frame) { operation.start() }
    }

    func operationFinished(_ ticket: TaskQueueTicket) {
        send { $0.operationFinished(ticket) }?.resumeWaiters()
    }

    func operationBecameReady(_ operation: Operation) {
        send { $0.operationBecameReady(operation) }
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
        ask { $0.operation(waitingAt: ticket) }
    }

    func changePolls<Result: Sendable>(
        _ change: (inout ReadinessPolls) -> Result
    ) -> Result {
        ask { change(&$0.polls) }
    }

    func operationPriorityChanged(_ operation: Operation) {
        var priority = OperationPriority(of: operation)
        while true {
            send { $0.priorityChanged(of: operation, to: priority) }
            // Another thread may have set a newer priority, and sent it first.
            let current = OperationPriority(of: operation)
            if current == priority { return }
            priority = current
        }
    }
}
