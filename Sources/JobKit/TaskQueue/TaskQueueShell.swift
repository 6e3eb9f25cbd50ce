import Dispatch
import Foundation
import Synchronization

/// Owns the queue's only lock; starts operations and wakes threads with it released.
///
/// A queue has up to 64 worker threads, each a serial `DispatchQueue`: those have threads of their
/// own, so that blocked operations take none from other queues or from Swift tasks. A worker takes
/// the next operation, starts it, delivers what it finished, and looks for the next.
final class TaskQueueShell: QueueHome {
    typealias Machine = TaskQueueStateMachine<Operation>

    struct State {
        var machine: Machine
        var roster: WorkerRoster
        var workers: [DispatchQueue] = []
        /// How many plain operations stand in the queue.
        var plainCount = 0
        var round = ReadinessRound()
        var idleWaiters: [IdleWaiter] = []
        /// The queue itself, as long as an operation stands in it.
        var keptAlive: TaskQueueShell?
        var isWatched = false
        /// Where operations are asked again whether they are ready; made when it is needed.
        var lookQueue: DispatchQueue?
    }

    let name: String
    let state: Guarded<State>
    /// Whether jobs must say when they wait: what the machine says, to be read without the lock.
    ///
    /// Sequentially consistent, as the jobs' turns: the queue sets this and then asks
    /// the jobs; a job begins to wait and then reads this. At least one of the two sees the other.
    let asksForLenders: Atomic<Bool>
    /// How many jobs were started here and live: where there is none, nobody looks for one.
    let jobCount = Atomic<Int>(0)
    let quality: DispatchQoS
    /// Changes when there is work and a worker looks for some.
    private let workSign = Atomic<Int>(0)

    /// How many threads one queue uses at most: what Dispatch gives to one of its own.
    static let threadLimit = 64
    /// How often a worker looks for more work before it lets its thread go: some microseconds,
    /// against the several that it takes to wake a thread.
    private static let searchCount = 2_000

    init(name: String, width: Int, quality: DispatchQoS) {
        self.name = name
        self.quality = quality
        let cores = ProcessInfo.processInfo.activeProcessorCount
        state = Guarded(
            State(
                machine: Machine(width: width),
                roster: WorkerRoster(
                    parallelism: min(max(2, cores), Self.threadLimit),
                    limit: Self.threadLimit
                )
            )
        )
        asksForLenders = Atomic(width < Int.max)
    }

    /// Feeds an input to the machine, and wakes a worker if there is something to start.
    func send<Result>(_ input: (inout sending State) -> sending Result) -> sending Result {
        let isOwnWorker = ThreadContext.current.workerQueue == ObjectIdentifier(self)
        let (result, wake) = state.withLock { state in
            let result = input(&state)
            return (result, workerToWake(&state, isOwnWorker: isOwnWorker))
        }
        if let wake { self.wake(wake) }
        return result
    }

    // MARK: Workers

    enum Wake {
        case worker(Int, DispatchQueue)
        case searchingWorker
        case monitor
    }

    private func workerToWake(_ state: inout State, isOwnWorker: Bool) -> Wake? {
        let startable = state.machine.startableCount
        guard startable > 0 else { return nil }
        switch state.roster.workerToCall(startable: startable, isOwnWorker: isOwnWorker) {
        case .searching: return .searchingWorker
        case .idle(let index): return .worker(index, worker(index, &state))
        case .nobody: break
        }
        guard !state.isWatched else { return nil }
        state.isWatched = true
        return .monitor
    }

    func worker(_ index: Int, _ state: inout State) -> DispatchQueue {
        if index == state.workers.count {
            state.workers.append(DispatchQueue(label: "\(name) worker \(index)", qos: quality))
        }
        return state.workers[index]
    }

    private func wake(_ wake: Wake) {
        switch wake {
        case .worker(let index, let queue): queue.async { [self] in work(index) }
        case .searchingWorker: workSign.add(1, ordering: .relaxed)
        case .monitor: StarvationMonitor.shared.watch(self)
        }
    }

    /// Has an idle worker deliver to a job, and go on with what its callbacks add, which saves the
    /// waking of a second thread; returns false if none is idle.
    func deliverOnIdleWorker(_ delivery: any CallbackDelivery) -> Bool {
        let idle = state.withLock { state in
            state.roster.idleWorker().map { ($0, worker($0, &state)) }
        }
        guard let (index, queue) = idle else { return false }
        queue.async { [self] in work(index, delivering: delivery) }
        return true
    }

    func work(_ index: Int, delivering delivery: (any CallbackDelivery)? = nil) {
        let context = ThreadContext.current
        context.workerQueue = ObjectIdentifier(self)
        context.lastFinished = 0
        defer { context.workerQueue = nil }
        delivery?.deliverAll()
        var upcoming = next()
        while let start = upcoming ?? search(index) {
            runWithPool { upcoming = run(start, context) }
        }
    }

    /// An operation that a worker is to start.
    struct Start {
        let operation: Operation
        let ticket: TaskQueueTicket
        let priority: TaskPriority

        init?(_ machine: inout Machine) {
            guard let slot = machine.nextSlot(), let operation = machine.slots[slot].entry else {
                return nil
            }
            self.operation = operation
            ticket = machine.ticket(slot)
            priority = machine.slots[slot].priority
        }
    }

    /// Takes the next operation, and wakes another worker if there is more; or begins to search.
    func next() -> Start? {
        let (start, wake) = state.withLock { takeNext(&$0) }
        if let wake { self.wake(wake) }
        return start
    }

    private func takeNext(_ state: inout State) -> (Start?, Wake?) {
        guard let start = Start(&state.machine) else {
            state.roster.searchBegan()
            return (nil, nil)
        }
        return (start, workerToWake(&state, isOwnWorker: false))
    }

    /// Looks for work a little longer; lets the thread go when there is none.
    private func search(_ index: Int) -> Start? {
        let sign = workSign.load(ordering: .relaxed)
        var looks = 0
        while looks < Self.searchCount, workSign.load(ordering: .relaxed) == sign { looks += 1 }
        let (start, wake) = state.withLock { state -> (Start?, Wake?) in
            state.roster.searchEnded()
            guard let start = Start(&state.machine) else {
                state.roster.workerLeft(index)
                return (nil, nil)
            }
            return (start, workerToWake(&state, isOwnWorker: false))
        }
        if let wake { self.wake(wake) }
        return start
    }

    /// Starts an operation, and delivers to a job what that finished; returns what to start then.
    private func run(_ start: Start, _ context: ThreadContext) -> Start? {
        let operation = start.operation
        guard operation.isReady else {
            // A dependency was added while the operation waited for its turn.
            send { state in
                guard state.machine.isCurrent(start.ticket) else { return }
                state.machine.startRefused(start.ticket.slot)
            }
            lookWhetherReady(operation)
            return next()
        }
        guard let concurrent = operation as? ConcurrentOperation else {
            return runPlain(start, context)
        }
        let frame = context.start(concurrent, isWorkers: true, limitedQueue: limitedNumber) {
            concurrent.start()
        }
        // Claimed before the place is given away: a job with mail does not lend its own.
        let isClaimed = frame.delivery?.claimDelivery() ?? false
        // Another thread that finishes it may not have asked for its queue yet, which goes with the
        // place.
        guard frame.hasEnded else {
            if isClaimed { frame.delivery?.deliverAll() }
            return next()
        }
        context.lastFinished = concurrent.number.load(ordering: .relaxed)
        guard isClaimed else {
            let next = finishAndTakeNext { removeFinished(concurrent, &$0) }
            frame.resumeWaiters()
            return next
        }
        operationFinished(concurrent)
        frame.resumeWaiters()
        frame.delivery?.deliverAll()
        return next()
    }

    /// The queue as a number, if its places are limited; 0 otherwise.
    var limitedNumber: Int {
        asksForLenders.load(ordering: .relaxed) ? Int(bitPattern: ObjectIdentifier(self)) : 0
    }

    /// Gives an operation's place away and takes the next one, for one locking.
    @inline(__always)
    func finishAndTakeNext(_ remove: (inout State) -> End?) -> Start? {
        let (end, (next, wake)) = state.withLock { state in
            (remove(&state), takeNext(&state))
        }
        if let wake { self.wake(wake) }
        end?.tellWaiters()
        return next
    }

    // MARK: Operations

    func operationFinished(_ operation: ConcurrentOperation) {
        send { removeFinished(operation, &$0) }?.tellWaiters()
    }

    /// What is to be done when no operation is left in the queue.
    struct End {
        /// Released with no lock held.
        let queue: TaskQueueShell?
        let waiters: [IdleWaiter]

        func tellWaiters() {
            for waiter in waiters { waiter.resume() }
        }
    }

    /// Returns what is to be done if no operation is left now.
    func removeFinished(_ operation: ConcurrentOperation, _ state: inout State) -> End? {
        slot(of: operation, &state).flatMap { remove($0, &state) }
    }

    func remove(_ slot: Int, _ state: inout State) -> End? {
        let isLast = state.machine.entryFinished(slot)
        noteWhetherLendersMatter(state.machine.asksForLenders)
        guard isLast else { return nil }
        defer { state.idleWaiters = [] }
        return End(queue: state.keptAlive.take(), waiters: state.idleWaiters)
    }

    func operationBecameReady(_ operation: Operation) {
        send { state in
            guard let slot = slot(of: operation, &state) else { return }
            state.machine.entryBecameReady(slot)
        }
    }

    func operationPriorityChanged(_ operation: Operation) {
        let priority = TaskPriority(queuePriority: operation.queuePriority.rawValue)
        send { state in
            guard let slot = slot(of: operation, &state) else { return }
            state.machine.priorityChanged(slot, to: priority)
        }
    }

    /// The slot in which the operation stands; nil before it was added and after it has finished.
    func slot(of operation: Operation, _ state: inout State) -> Int? {
        guard let concurrent = operation as? ConcurrentOperation else {
            let ticket = PlainOperations.ticket(of: operation)
            return ticket.flatMap { state.machine.isCurrent($0) ? $0.slot : nil }
        }
        return slot(of: concurrent, &state)
    }

    func slot(of operation: ConcurrentOperation, _ state: inout State) -> Int? {
        let slot = operation.queueSlot
        return state.machine.slots.indices.contains(slot)
            && state.machine.slots[slot].entry === operation ? slot : nil
    }
}
