import Dispatch
import Foundation

/// Owns the queue's only lock; hands operations on with it released.
///
/// One thread at a time hands on, so that operations arrive in order: one that adds an operation or
/// makes one ready meanwhile leaves it to that thread.
final class RateLimitedQueueShell: QueueHome {
    /// An operation that waits.
    private struct Waiting {
        /// The machine's number of it.
        let sequence: Int
        /// What a plain operation waits for.
        var dependencies: OperationsEnd?
        /// Whether it is asked again and again whether it is ready, or cancelled.
        var isAsked = false
    }

    private struct State {
        var machine: RateLimitedQueueStateMachine<Operation>
        var waiting: [ObjectIdentifier: Waiting] = [:]
        /// The numbers of those that are asked, in the order of their turns; some wait no longer.
        var asked = FIFO<Int>()
        var isRoundDue = false
        /// Sleeps until the next operation may be handed on.
        var timer: Task<Void, Never>?
        /// The queue itself while operations wait.
        var keptAlive: RateLimitedQueueShell?

        /// Takes an operation out that is not handed on; nil if it does not wait.
        mutating func remove(_ operation: Operation) -> Waiting? {
            guard let removed = waiting.removeValue(forKey: ObjectIdentifier(operation)) else {
                return nil
            }
            machine.entryLeft(removed.sequence)
            return removed
        }

        /// Returns the next step, and what an operation waited for that is to be handed on; it
        /// waits no longer.
        mutating func nextStep(
            at now: Duration
        ) -> (RateLimitedQueueStateMachine<Operation>.Step, Waiting?) {
            let step = machine.nextStep(at: now)
            guard case .handOn(let operation) = step else { return (step, nil) }
            return (step, waiting.removeValue(forKey: ObjectIdentifier(operation)))
        }

        /// Takes out the operations that are asked in this round.
        mutating func takeAsked() -> [Operation] {
            (0..<min(asked.count, RateLimitedQueueShell.mostAsked))
                .compactMap { _ in asked.popFirst() }
                .compactMap { machine.entry($0) }
        }
    }

    /// Where operations are handed on to.
    let target: any OperationScheduling
    private let clock: any Clock<Duration>
    private let timeSinceCreation: @Sendable () -> Duration
    private let state: Guarded<State>
    /// Where operations are asked again: a thread that no blocked operation holds.
    let lookQueue = DispatchQueue(label: "JobKit.RateLimitedQueue")

    /// Ends cancelled plain operations, whose `start()` is a user's code.
    private static let cancelledOperations = TaskQueue(name: "JobKit.RateLimitedQueue")
    private static let pause = DispatchTimeInterval.milliseconds(100)
    /// How many operations are asked at a time.
    fileprivate static let mostAsked = 10_000

    init(
        _ target: any OperationScheduling,
        limit: Int,
        interval: Duration,
        clock: any Clock<Duration>
    ) {
        self.target = target
        self.clock = clock
        timeSinceCreation = Self.timeSinceNow(of: clock)
        state = Guarded(
            State(machine: RateLimitedQueueStateMachine(limit: limit, interval: interval))
        )
    }

    private static func timeSinceNow<C: Clock<Duration>>(
        of clock: C
    ) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    // MARK: Adding

    func add(_ operation: Operation, admission: TaskQueueShell.Admission = .demanded) {
        guard enter(operation, admission) else { return }
        guard hold(operation) else { refuse(operation, "stands in it already") }
    }

    /// Makes the operation stand in this queue; returns false if there is nothing left to start.
    private func enter(_ operation: Operation, _ admission: TaskQueueShell.Admission) -> Bool {
        let concurrent = operation as? ConcurrentOperation
        if let concurrent {
            let standsElsewhere = concurrent.addingListener { $0.enter(self, nil).standsElsewhere }
            guard !standsElsewhere else { refuse(operation, "stands in a queue already") }
            concurrent.lifecycle.bitwiseOr(
                OperationLifecycle.queued.rawValue,
                ordering: .acquiringAndReleasing
            )
        }
        guard hasStarted(operation) else { return true }
        if let concurrent { leave(concurrent) }
        if admission == .demanded { refuse(operation, "has been started") }
        return false
    }

    /// Has an operation wait for its turn; returns false if it waits already.
    private func hold(_ operation: Operation) -> Bool {
        let priority = TaskPriority(queuePriority: operation.queuePriority.rawValue)
        let isNew = state.withLock { state in
            let id = ObjectIdentifier(operation)
            guard state.waiting[id] == nil else { return false }
            let sequence = state.machine.entryAdded(operation, priority: priority)
            state.waiting[id] = Waiting(sequence: sequence)
            state.keptAlive = self
            return true
        }
        guard isNew else { return false }
        lookWhetherReady(operation)
        // Foundation does not tell that a plain operation was cancelled.
        if !(operation is ConcurrentOperation) { askLater(operation) }
        if TaskPriority(queuePriority: operation.queuePriority.rawValue) != priority {
            operationPriorityChanged(operation)
        }
        return true
    }

    private func refuse(_ operation: Operation, _ reason: String) -> Never {
        fatalError(
            "JobKit: \(operationLabel(operation)) was added to a RateLimitedQueue, but it \(reason)."
        )
    }

    /// The operation stands in no queue any more; Foundation has its say in when it is ready.
    private func leave(_ operation: ConcurrentOperation) {
        operation.hooks.withLock { hooks in
            if hooks.queue === self { hooks.queue = nil }
        }
        operation.lifecycle.bitwiseAnd(
            ~OperationLifecycle.queued.rawValue,
            ordering: .acquiringAndReleasing
        )
    }

    // MARK: Changes of operations

    func operationBecameReady(_ operation: Operation) {
        if operation.isCancelled {
            if remove(operation) { end(operation) }
            return
        }
        change(operation) { $0.entryBecameReady($1) }
    }

    func operationPriorityChanged(_ operation: Operation) {
        let priority = TaskPriority(queuePriority: operation.queuePriority.rawValue)
        change(operation) { $0.priorityChanged(of: $1, to: priority) }
    }

    /// Other code has started the operation, and it has finished.
    func operationFinished(_ operation: ConcurrentOperation) {
        _ = remove(operation)
    }

    func plainFinished(_ ticket: TaskQueueTicket) {}

    private func change(
        _ operation: Operation,
        _ input: (inout RateLimitedQueueStateMachine<Operation>, Int) -> Void
    ) {
        let waits = state.withLock { state in
            guard let waiting = state.waiting[ObjectIdentifier(operation)] else { return false }
            input(&state.machine, waiting.sequence)
            return true
        }
        if waits { handOn() }
    }

    /// Takes an operation out that is not handed on; returns false if it does not wait.
    private func remove(_ operation: Operation) -> Bool {
        let removed = state.withLock { $0.remove(operation) }
        guard removed != nil else { return false }
        handOn()
        return true
    }

    /// Ends a cancelled operation, which runs no code.
    private func end(_ operation: Operation) {
        guard let concurrent = operation as? ConcurrentOperation else {
            return Self.cancelledOperations.addUnlessStarted(operation)
        }
        leave(concurrent)
        guard !hasStarted(concurrent) else { return }
        ThreadContext.current.start(concurrent) { concurrent.start() }.delivery?.deliverElsewhere()
    }

    // MARK: Handing on

    /// Hands on what may be, and sees to the time when more may, unless another thread does.
    private func handOn() {
        guard state.withLock({ $0.machine.claimSteps() }) else { return }
        while true {
            // A user's clock is asked without the lock.
            let now = timeSinceCreation()
            let (step, waited) = state.withLock { $0.nextStep(at: now) }
            withExtendedLifetime(waited) {}
            switch step {
            case .handOn(let operation): handOn(operation)
            case .sleep(let duration):
                replaceTimer(
                    by: OperationTimers.wait(duration, on: clock) { [self] in
                        state.withLock { $0.machine.sleepEnded() }
                        handOn()
                    }
                )
            case .stopSleeping: replaceTimer(by: nil)
            case .nothing: return letGoIfIdle()
            }
        }
    }

    private func handOn(_ operation: Operation) {
        guard !operation.isCancelled else { return end(operation) }
        // A dependency was added while the operation waited for its turn.
        guard operation.isReady else {
            _ = hold(operation)
            return
        }
        if let concurrent = operation as? ConcurrentOperation { leave(concurrent) }
        guard !hasStarted(operation) else { return }
        target.addUnlessStarted(operation)
        let now = timeSinceCreation()
        state.withLock { $0.machine.handedOn(at: now) }
    }

    private func hasStarted(_ operation: Operation) -> Bool {
        (operation as? ConcurrentOperation)?.currentLifecycle.contains(.started)
            ?? (operation.isFinished || operation.isExecuting)
    }

    private func replaceTimer(by timer: Task<Void, Never>?) {
        let replaced = state.withLock { state in
            defer { state.timer = timer }
            return state.timer
        }
        replaced?.cancel()
    }

    private func letGoIfIdle() {
        let released = state.withLock { $0.machine.isIdle ? $0.keptAlive.take() : nil }
        withExtendedLifetime(released) {}
    }

    // MARK: Whether operations are ready

    /// Makes an operation ready if it is, or sees that it is asked again.
    func lookWhetherReady(_ operation: Operation) {
        if !look(at: operation) { askLater(operation) }
    }

    func look(at operation: Operation) -> Bool {
        if hasStarted(operation) {
            _ = remove(operation)
            return true
        }
        if operation.isReady || operation.isCancelled {
            operationBecameReady(operation)
            return true
        }
        guard waits(operation) else { return true }
        if let concurrent = operation as? ConcurrentOperation {
            return !concurrent.hasNoUnfinishedDependency
        }
        let unfinished = operation.dependencies.filter { !$0.isFinished }
        guard !unfinished.isEmpty else { return false }
        wait(operation, for: unfinished)
        return true
    }

    /// Makes a plain operation wait for others; it is told of their ends.
    private func wait(_ operation: Operation, for unfinished: [Operation]) {
        let end = OperationsEnd { [self] in
            guard !look(at: operation) else { return }
            // Foundation has yet to tell the operation.
            let late = LateLook(operation: operation, queue: self)
            lookQueue.async { LateLook.look([late], mayPause: true) }
        }
        let replaced = state.withLock { state in
            let before = state.waiting[ObjectIdentifier(operation)]?.dependencies
            state.waiting[ObjectIdentifier(operation)]?.dependencies = end
            return before
        }
        withExtendedLifetime(replaced) {}
        end.wait(for: unfinished)
    }

    private func waits(_ operation: Operation) -> Bool {
        state.withLock { $0.waiting[ObjectIdentifier(operation)] != nil }
    }

    /// Asks an operation ten times a second whether it is ready, or cancelled.
    func askLater(_ operation: Operation) {
        let mustBegin = state.withLock { state in
            let id = ObjectIdentifier(operation)
            guard let waiting = state.waiting[id], !waiting.isAsked else { return false }
            state.waiting[id]?.isAsked = true
            state.asked.append(waiting.sequence)
            defer { state.isRoundDue = true }
            return !state.isRoundDue
        }
        if mustBegin { askSoon() }
    }

    private func askSoon() {
        lookQueue.asyncAfter(deadline: .now() + Self.pause) { [self] in
            for operation in state.withLock({ $0.takeAsked() }) {
                if operation.isReady || operation.isCancelled || hasStarted(operation) {
                    _ = look(at: operation)
                }
                state.withLock { state in
                    guard let waiting = state.waiting[ObjectIdentifier(operation)] else { return }
                    state.asked.append(waiting.sequence)
                }
            }
            let goesOn = state.withLock { state in
                state.isRoundDue = !state.asked.isEmpty
                return state.isRoundDue
            }
            if goesOn { askSoon() }
        }
    }

    // MARK: Asking

    /// The queue in which an operation waits for its turn; nil if none is known.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - queue: Where it was put, if that is known: a plain operation does not know it.
    /// - Returns: The queue, or one that it hands on to.
    static func queue(
        of operation: Operation,
        putInto queue: (any OperationScheduling)?
    ) -> RateLimitedQueueShell? {
        if let concurrent = operation as? ConcurrentOperation {
            return concurrent.hooks.withLock { $0.queue } as? RateLimitedQueueShell
        }
        guard let shell = (queue as? RateLimitedQueue)?.shell else { return nil }
        if shell.waits(operation) { return shell }
        return self.queue(of: operation, putInto: shell.target)
    }

    /// Where a queue hands on to in the end; another kind of queue is that itself.
    static func queueBehind(_ queue: any OperationScheduling) -> any OperationScheduling {
        var queue = queue
        while let limited = queue as? RateLimitedQueue { queue = limited.shell.target }
        return queue
    }

    /// What an operation waits for that is ready.
    var reasonToWait: String {
        let (limit, interval) = state.withLock { ($0.machine.limit, $0.machine.interval) }
        return "waits for the rate: \(limit) in \(interval)"
    }
}

extension OperationScheduling {
    /// Adds an operation unless it was started.
    func addUnlessStarted(_ operation: Operation) {
        if let queue = self as? TaskQueue {
            queue.shell.add(operation, admission: .unlessStarted)
        } else if let queue = self as? RateLimitedQueue {
            queue.shell.add(operation, admission: .unlessStarted)
        } else if !operation.isFinished, !operation.isExecuting {
            addOperation(operation)
        }
    }
}
