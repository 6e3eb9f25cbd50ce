import Dispatch
import Foundation

/// Owns the queue's only lock; hands operations on with it released.
///
/// One thread at a time hands on, so that operations arrive in order: one that adds an operation or
/// makes one ready meanwhile leaves it to that thread.
final class RateLimitedQueueShell: QueueHome {
    private struct State {
        var machine: RateLimitedQueueStateMachine<Operation>
        /// The machine's numbers of the operations that wait.
        var sequences: [ObjectIdentifier: Int] = [:]
        /// What plain operations wait for.
        var dependencies: [Int: OperationsEnd] = [:]
        /// When plain operations are asked again whether they are ready, or cancelled.
        var round = ReadinessRound()
        /// What sleeps until the next operation may be handed on.
        var timer: OperationTimers?
        /// The queue itself while operations wait.
        var keptAlive: RateLimitedQueueShell?

        /// Returns the next step, and what an operation waited for that is to be handed on; it
        /// waits no longer.
        mutating func nextStep(
            at now: Duration
        ) -> (RateLimitedQueueStateMachine<Operation>.Step, OperationsEnd?) {
            let step = machine.nextStep(at: now)
            guard case .handOn(let operation) = step else { return (step, nil) }
            let sequence = sequences.removeValue(forKey: ObjectIdentifier(operation))
            return (step, sequence.flatMap { dependencies.removeValue(forKey: $0) })
        }
    }

    /// Where operations are handed on to.
    let target: any OperationScheduling
    private let clock: any Clock<Duration>
    private let timeSinceCreation: @Sendable () -> Duration
    private let state: Guarded<State>
    /// Where plain operations are asked again: a thread that no blocked operation holds.
    let lookQueue = DispatchQueue(label: "JobKit.RateLimitedQueue")

    /// Ends cancelled plain operations, whose `start()` is a user's code.
    private static let cancelledOperations = TaskQueue(name: "JobKit.RateLimitedQueue")

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
        let priority = TaskPriority(queuePriority: operation.queuePriority.rawValue)
        let isNew = state.withLock { state in
            let id = ObjectIdentifier(operation)
            guard state.sequences[id] == nil else { return false }
            state.sequences[id] = state.machine.entryAdded(operation, priority: priority)
            state.keptAlive = self
            return true
        }
        guard isNew else { refuse(operation, "stands in it already") }
        lookWhetherReady(operation)
        if !(operation is ConcurrentOperation) { askNowAndThen(operation) }
        if TaskPriority(queuePriority: operation.queuePriority.rawValue) != priority {
            operationPriorityChanged(operation)
        }
    }

    /// Makes the operation stand in this queue; returns false if there is nothing left to start.
    private func enter(_ operation: Operation, _ admission: TaskQueueShell.Admission) -> Bool {
        var hasStarted = operation.isFinished || operation.isExecuting
        if let concurrent = operation as? ConcurrentOperation {
            let standsElsewhere = concurrent.subscribing { $0.enter(self, nil).standsElsewhere }
            guard !standsElsewhere else { refuse(operation, "stands in a queue already") }
            concurrent.lifecycle.bitwiseOr(
                OperationLifecycle.queued.rawValue,
                ordering: .acquiringAndReleasing
            )
            hasStarted = concurrent.currentLifecycle.contains(.started)
            if hasStarted { leave(concurrent) }
        }
        if hasStarted, admission == .demanded { refuse(operation, "has been started") }
        return !hasStarted
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

    // MARK: What operations tell

    func operationBecameReady(_ operation: Operation) {
        if operation.isCancelled { return end(operation) }
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
            guard let sequence = state.sequences[ObjectIdentifier(operation)] else { return false }
            input(&state.machine, sequence)
            return true
        }
        if waits { handOn() }
    }

    /// Takes an operation out that is not handed on; returns false if it does not wait.
    private func remove(_ operation: Operation) -> Bool {
        let removed = state.withLock { state -> (Operation?, OperationsEnd?)? in
            let id = ObjectIdentifier(operation)
            guard let sequence = state.sequences.removeValue(forKey: id) else { return nil }
            return (
                state.machine.entryLeft(sequence), state.dependencies.removeValue(forKey: sequence)
            )
        }
        guard removed != nil else { return false }
        handOn()
        return true
    }

    /// Ends a cancelled operation, which runs no code.
    private func end(_ operation: Operation) {
        guard remove(operation) else { return }
        end(removed: operation)
    }

    private func end(removed operation: Operation) {
        guard let concurrent = operation as? ConcurrentOperation else {
            guard !operation.isFinished, !operation.isExecuting else { return }
            return Self.cancelledOperations.shell.add(operation, admission: .unlessStarted)
        }
        leave(concurrent)
        guard !concurrent.currentLifecycle.contains(.started) else { return }
        ThreadContext.current.start(concurrent) { concurrent.start() }.delivery?.deliverElsewhere()
    }

    // MARK: Handing on

    /// Hands on what may be, and sees to the time when more may, unless another thread does.
    private func handOn() {
        guard state.withLock({ $0.machine.claimSteps() }) else { return }
        while true {
            // A user's clock is asked without the lock.
            let now = timeSinceCreation()
            let (step, dependencies) = state.withLock { $0.nextStep(at: now) }
            withExtendedLifetime(dependencies) {}
            switch step {
            case .handOn(let operation): handOn(operation)
            case .sleep(let duration): sleep(for: duration)
            case .stopSleeping: replaceTimer(by: nil)
            case .nothing: return letGoIfIdle()
            }
        }
    }

    private func handOn(_ operation: Operation) {
        guard !operation.isCancelled else { return end(removed: operation) }
        guard operation.isReady else { return takeBack(operation) }
        if let concurrent = operation as? ConcurrentOperation { leave(concurrent) }
        guard !hasStarted(operation) else { return }
        if let queue = target as? TaskQueue {
            queue.shell.add(operation, admission: .unlessStarted)
        } else if let queue = target as? RateLimitedQueue {
            queue.shell.add(operation, admission: .unlessStarted)
        } else {
            target.addOperation(operation)
        }
        let now = timeSinceCreation()
        state.withLock { $0.machine.handedOn(at: now) }
    }

    private func hasStarted(_ operation: Operation) -> Bool {
        (operation as? ConcurrentOperation)?.currentLifecycle.contains(.started)
            ?? (operation.isFinished || operation.isExecuting)
    }

    /// A dependency was added while the operation waited for its turn.
    private func takeBack(_ operation: Operation) {
        let priority = TaskPriority(queuePriority: operation.queuePriority.rawValue)
        state.withLock { state in
            let sequence = state.machine.entryAdded(operation, priority: priority)
            state.sequences[ObjectIdentifier(operation)] = sequence
        }
        lookWhetherReady(operation)
        if !(operation is ConcurrentOperation) { askNowAndThen(operation) }
    }

    private func sleep(for duration: Duration) {
        let timer = OperationTimers()
        timer.clock = clock
        replaceTimer(by: timer)
        timer.sleep(for: duration) { [self] in
            let isCurrent = state.withLock { state in
                guard state.timer === timer else { return false }
                state.timer = nil
                state.machine.sleepEnded()
                return true
            }
            if isCurrent { handOn() }
        }
    }

    private func replaceTimer(by timer: OperationTimers?) {
        let replaced = state.withLock { state in
            defer { state.timer = timer }
            return state.timer
        }
        replaced?.cancelAll()
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
        guard let sequence = sequence(of: operation) else { return true }
        if let concurrent = operation as? ConcurrentOperation {
            return !concurrent.hasNoUnfinishedDependency
        }
        let unfinished = operation.dependencies.filter { !$0.isFinished }
        guard !unfinished.isEmpty else { return false }
        wait(operation, sequence, for: unfinished)
        return true
    }

    /// Makes a plain operation wait for others; it is told of their ends.
    private func wait(_ operation: Operation, _ sequence: Int, for unfinished: [Operation]) {
        let end = OperationsEnd { [self] in dependenciesEnded(of: operation) }
        let replaced = state.withLock { $0.dependencies.updateValue(end, forKey: sequence) }
        withExtendedLifetime(replaced) {}
        end.wait(for: unfinished)
    }

    /// Foundation may be about to tell the operation.
    private func dependenciesEnded(of operation: Operation) {
        guard !look(at: operation) else { return }
        let late = LateLook(operation: operation, queue: self)
        let context = ThreadContext.current
        if context.pointee.lateLooks == nil {
            lookQueue.async { LateLook.look([late], mayPause: true) }
        } else {
            context.pointee.lateLooks?.append(late)
        }
    }

    private func sequence(of operation: Operation) -> Int? {
        state.withLock { $0.sequences[ObjectIdentifier(operation)] }
    }

    /// Asks an operation again soon, and then ten times a second.
    func askLater(_ operation: Operation) {
        guard let sequence = sequence(of: operation) else { return }
        let ticket = TaskQueueTicket(sequence: sequence, slot: 0)
        keep(state.withLock { $0.round.entryIsUnready(ticket) })
    }

    /// Asks a plain operation ten times a second: Foundation does not tell that it was cancelled.
    private func askNowAndThen(_ operation: Operation) {
        guard let sequence = sequence(of: operation) else { return }
        let ticket = TaskQueueTicket(sequence: sequence, slot: 0)
        let appointment = state.withLock { state in
            if state.round.isCrowded {
                let machine = state.machine
                state.round.removeVoid { machine.entry($0.sequence) != nil }
            }
            return state.round.entryWaits(ticket)
        }
        keep(appointment)
    }

    private func keep(_ appointment: ReadinessRound.Appointment?) {
        guard let appointment else { return }
        lookQueue.asyncAfter(deadline: .now() + .milliseconds(appointment.milliseconds)) {
            [self] in ask(appointment)
        }
    }

    private func ask(_ appointment: ReadinessRound.Appointment) {
        typealias Asked = [(TaskQueueTicket, Operation)]
        let asked = state.withLock { state -> (unready: Asked, waiting: Asked)? in
            guard let asked = state.round.roundBegan(appointment) else { return nil }
            func standing(_ tickets: [TaskQueueTicket]) -> Asked {
                tickets.compactMap { ticket in
                    state.machine.entry(ticket.sequence).map { (ticket, $0) }
                }
            }
            return (standing(asked.unready), standing(asked.waiting))
        }
        guard let asked else { return }
        var remaining = ReadinessRound.Asked()
        for (ticket, operation) in asked.unready where !look(at: operation) {
            remaining.unready.append(ticket)
        }
        for (ticket, operation) in asked.waiting {
            if operation.isReady || operation.isCancelled || hasStarted(operation) {
                _ = look(at: operation)
            }
            if sequence(of: operation) != nil { remaining.waiting.append(ticket) }
        }
        keep(state.withLock { $0.round.roundEnded(appointment, remaining: remaining) })
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
        if shell.sequence(of: operation) != nil { return shell }
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
