import Dispatch
import Foundation
import Synchronization

/// Owns the queue's only lock; starts operations and wakes threads with it released.
///
/// A queue has up to 64 worker threads, each a serial `DispatchQueue`: those have threads of their
/// own, so that blocked operations take none from other queues or from Swift tasks. A worker takes
/// the next operation, starts it, delivers what it finished, and looks for the next.
final class TaskQueueEffects: Sendable {
    typealias Machine = TaskQueueStateMachine<Operation>

    struct State {
        var machine: Machine
        var roster: WorkerRoster
        var workers: [DispatchQueue] = []
        var foreign: [ObjectIdentifier: ForeignEntry] = [:]
        var idleWaiters: [DispatchSemaphore] = []
        /// The queue itself, as long as an operation stands in it.
        var keptAlive: TaskQueueEffects?
        var isWatched = false
        /// Where operations are asked again whether they are ready; made when it is needed.
        var lookQueue: DispatchQueue?
    }

    let name: String
    let state: Guarded<State>
    /// Whether jobs must say when they wait; read without the lock.
    ///
    /// Sequentially consistent, as the jobs' signals: the queue says this and then asks the jobs, a
    /// job waits and then asks this, and one of both must see the other.
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
        case .monitor: StallMonitor.shared.watch(self)
        }
    }

    /// Has an idle worker deliver to a job, and go on with what its callbacks add, which saves the
    /// waking of a second thread; returns false if none is idle.
    func deliverOnIdleWorker(_ effects: JobEffects) -> Bool {
        let idle = state.withLock { state in
            state.roster.idleWorker().map { ($0, worker($0, &state)) }
        }
        guard let (index, queue) = idle else { return false }
        queue.async { [self] in work(index, delivering: effects) }
        return true
    }

    func work(_ index: Int, delivering effects: JobEffects? = nil) {
        let context = ThreadContext.current
        context.workerQueue = ObjectIdentifier(self)
        defer { context.workerQueue = nil }
        if let effects { runWithPool { effects.deliverAll() } }
        var upcoming = next()
        while let operation = upcoming ?? search(index) {
            runWithPool { upcoming = run(operation, context) }
        }
    }

    /// Takes the next operation, and wakes another worker if there is more; or begins to search.
    private func next() -> Operation? {
        let (operation, wake) = state.withLock { takeNext(&$0) }
        if let wake { self.wake(wake) }
        return operation
    }

    private func takeNext(_ state: inout State) -> (Operation?, Wake?) {
        guard let operation = state.machine.next() else {
            state.roster.searchBegan()
            return (nil, nil)
        }
        return (operation, workerToWake(&state, isOwnWorker: false))
    }

    /// Looks for work a little longer; lets the thread go when there is none.
    private func search(_ index: Int) -> Operation? {
        let sign = workSign.load(ordering: .relaxed)
        for _ in 0..<Self.searchCount where workSign.load(ordering: .relaxed) == sign {}
        let (operation, wake) = state.withLock { state -> (Operation?, Wake?) in
            state.roster.searchEnded()
            guard let operation = state.machine.next() else {
                state.roster.workerLeft(index)
                return (nil, nil)
            }
            return (operation, workerToWake(&state, isOwnWorker: false))
        }
        if let wake { self.wake(wake) }
        return operation
    }

    /// Starts an operation, and delivers to a job what that finished; returns what to start then.
    private func run(_ operation: Operation, _ context: ThreadContext) -> Operation? {
        guard operation.isReady else {
            // A dependency was added while the operation waited for its turn.
            send { state in
                if let slot = slot(of: operation, &state) { state.machine.startRefused(slot) }
            }
            lookWhetherReady(operation)
            return next()
        }
        guard let concurrent = operation as? ConcurrentOperation else {
            startForeign(operation, context)?.deliverAll()
            return next()
        }
        context.startedByWorker = ObjectIdentifier(concurrent)
        concurrent.start()
        context.startedByWorker = nil
        let delivery = concurrent.takeDeferredDelivery()
        // Claimed before the place is given away: a job with mail does not lend its own.
        let isClaimed = delivery?.claim() ?? false
        guard concurrent.isFinished else {
            if isClaimed { delivery?.effects.deliverAll() }
            return next()
        }
        guard isClaimed else { return finishAndTakeNext(concurrent) }
        operationFinished(concurrent)
        concurrent.resumeDeferredWaiters()
        delivery?.effects.deliverAll()
        return next()
    }

    /// Gives the operation's place away and takes the next one, for one locking.
    private func finishAndTakeNext(_ operation: ConcurrentOperation) -> Operation? {
        let (end, (next, wake)) = state.withLock { state in
            (removeFinished(operation, &state), takeNext(&state))
        }
        if let wake { self.wake(wake) }
        end?.tellWaiters()
        operation.resumeDeferredWaiters()
        return next
    }

    // MARK: Operations

    func operationFinished(_ operation: Operation) {
        send { removeFinished(operation, &$0) }?.tellWaiters()
    }

    /// What is to be done when no operation is left in the queue.
    struct End {
        /// Released with no lock held.
        let queue: TaskQueueEffects?
        let waiters: [DispatchSemaphore]

        func tellWaiters() {
            for waiter in waiters { waiter.signal() }
        }
    }

    /// Returns what is to be done if no operation is left now.
    func removeFinished(_ operation: Operation, _ state: inout State) -> End? {
        guard let slot = slot(of: operation, &state), state.machine.entryFinished(slot) else {
            return nil
        }
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
            let slot = state.foreign[ObjectIdentifier(operation)]?.slot
            return slot.flatMap { state.machine.slots[$0].entry === operation ? $0 : nil }
        }
        let slot = concurrent.queueSlot
        return state.machine.slots.indices.contains(slot)
            && state.machine.slots[slot].entry === operation ? slot : nil
    }
}

/// Empties Objective-C's autorelease pool after each operation, where there is one.
@inline(__always)
private func runWithPool(_ body: () -> Void) {
    #if canImport(ObjectiveC)
    autoreleasepool(invoking: body)
    #else
    body()
    #endif
}
