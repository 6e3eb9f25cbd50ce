import Foundation

/// The part of a state machine that holds entries back until their turn has come.
protocol HoldingStateMachine {
    associatedtype Entry

    /// The entry of a ticket, if it waits.
    func entry(_ ticket: TaskQueueTicket) -> Entry?

    /// Whether nothing waits, and nothing is being passed on.
    var isIdle: Bool { get }

    mutating func entryBecameReady(_ ticket: TaskQueueTicket)
    mutating func priorityChanged(of ticket: TaskQueueTicket, to priority: TaskPriority)

    /// The entry turned out not to be ready when it was to be passed on: it waits again.
    mutating func entryRefused(_ ticket: TaskQueueTicket)

    /// The entry has finished, or leaves the queue without being passed on.
    mutating func entryEnded(_ ticket: TaskQueueTicket)

    /// Whether the caller must ask for steps until there is none; another caller does otherwise.
    mutating func claimSteps() -> Bool
}

/// An operation that a queue holds back, and the queue that it is passed on to.
struct HeldOperation: Sendable {
    let operation: Operation
    let queue: any OperationScheduling
}

/// What a holding queue knows; its lock guards it.
struct HoldingState<Machine: HoldingStateMachine> {
    var machine: Machine
    /// The tickets of the operations that wait.
    fileprivate var tickets: [ObjectIdentifier: TaskQueueTicket] = [:]
    /// Which operations are asked again whether they are ready, or cancelled, and when.
    fileprivate var polls = ReadinessPolls()
    /// The queue itself while operations wait.
    private var keptAlive: AnyObject?

    init(_ machine: Machine) { self.machine = machine }

    /// An operation waits in the queue.
    mutating func operationWaits(
        _ operation: Operation,
        _ ticket: TaskQueueTicket,
        in queue: AnyObject
    ) {
        tickets[ObjectIdentifier(operation)] = ticket
        keptAlive = queue
    }

    /// An operation no longer waits; returns its ticket if it did.
    @discardableResult
    mutating func operationLeaves(_ operation: Operation) -> TaskQueueTicket? {
        tickets.removeValue(forKey: ObjectIdentifier(operation))
    }

    /// Takes out the queue if nothing waits; the caller releases it with no lock held.
    fileprivate mutating func takeIdle() -> AnyObject? {
        machine.isIdle ? keptAlive.take() : nil
    }
}

/// Waiting in front of another queue: what ``RateLimitedQueue`` and ``KeyedQueue`` share.
///
/// An operation waits here until it is ready and the queue's state machine says that its turn has
/// come. It holds no thread and no permit of the queue below meanwhile. A ``HeldListener`` notifies
/// the queue of its start and its finish.
protocol HoldingQueue: PollingQueue {
    associatedtype Machine: HoldingStateMachine where Machine.Entry == HeldOperation

    var state: Guarded<HoldingState<Machine>> { get }

    /// The queue's name in messages about misuse.
    var label: String { get }

    /// Passes on what may be; one thread at a time does, so that operations arrive in order.
    func passOn()

    /// The operation has finished; calls `end(_:)`.
    ///
    /// Implemented by each class. Called through `any HoldingQueue`, a method of the extension runs
    /// generic code, which takes 30,000 instructions here.
    func operationEnded(_ listener: HeldListener)

    /// The operation was started; called before it enters `main()`.
    func operationStarted(_ ticket: TaskQueueTicket)

    /// What the machine says about an operation that is ready; called with the lock held.
    func reasonToWait(
        _ ticket: TaskQueueTicket,
        _ machine: Machine,
        at now: CoarseTime
    ) -> @Sendable () -> String
}

/// Ends cancelled plain operations, whose `start()` is a user's code.
private let cancelledOperations = TaskQueue(name: "JobKit.cancelled")

extension HoldingQueue {
    // MARK: Adding

    /// Makes an operation stand in this queue.
    ///
    /// - Returns: False if other code has started it, which traps unless that may be.
    func enter(_ operation: Operation, mayHaveStarted: Bool) -> Bool {
        let entry = operation.enter(self, startsIt: false, nil)
        if entry.standsElsewhere { refuse(operation, "is in a queue already") }
        if entry.hasStarted, !mayHaveStarted { refuse(operation, "has been started") }
        return entry.stands
    }

    private func refuse(_ operation: Operation, _ reason: String) -> Never {
        fatalError("JobKit: \(operationLabel(operation)) was added to \(label), but it \(reason).")
    }

    /// The operation waits under its ticket: catches up with what changed before that.
    func arrived(_ operation: Operation, _ listener: HeldListener?, at priority: TaskPriority) {
        if let listener, !operation.addListener(listener) { return end(listener) }
        checkReadiness(of: operation)
        pollUnlessItTells(operation)
        if TaskPriority(of: operation) != priority { operationPriorityChanged(operation) }
    }

    // MARK: Changes of operations

    func operationBecameReady(_ operation: Operation) {
        if operation.hasStarted {
            // Other code has started it.
            if remove(operation) { operation.leave(self) }
        } else if operation.isCancelled {
            if remove(operation) { end(operation) }
        } else {
            change(operation) { $0.entryBecameReady($1) }
        }
    }

    /// Repeats until the machine knows what the property shows: two threads may set it.
    func operationPriorityChanged(_ operation: Operation) {
        var priority: TaskPriority
        repeat {
            priority = TaskPriority(of: operation)
            change(operation) { [priority] in $0.priorityChanged(of: $1, to: priority) }
        } while TaskPriority(of: operation) != priority
    }

    /// Other code has started the operation, and it has finished; the listener is notified.
    func operationFinished(_ operation: ConcurrentOperation) {}

    func operationFinished(_ ticket: TaskQueueTicket) {}

    /// The operation has finished, here or in the queue below.
    func end(_ listener: HeldListener) {
        let held = state.withLock { state -> HeldOperation? in
            guard let ticket = listener.ticket else { return nil }
            let held = state.machine.entry(ticket)
            if let held { state.operationLeaves(held.operation) }
            state.machine.entryEnded(ticket)
            return held
        }
        passOn()
        withExtendedLifetime(held) {}
    }

    private func change(
        _ operation: Operation,
        _ input: (inout Machine, TaskQueueTicket) -> Void
    ) {
        let waits = state.withLock { state in
            guard let ticket = state.tickets[ObjectIdentifier(operation)] else { return false }
            input(&state.machine, ticket)
            return true
        }
        if waits { passOn() }
    }

    /// Takes an operation out that is not passed on; returns false if it does not wait.
    private func remove(_ operation: Operation) -> Bool {
        let waited = state.withLock { state in
            guard let ticket = state.operationLeaves(operation) else { return false }
            state.machine.entryEnded(ticket)
            return true
        }
        if waited { passOn() }
        return waited
    }

    /// Ends a cancelled operation, which runs no code.
    func end(_ operation: Operation) {
        operation.leave(self)
        guard !operation.hasStarted else { return }
        guard operation is ConcurrentOperation else {
            return cancelledOperations.addUnlessStarted(operation)
        }
        operation.startCancelled()
    }

    // MARK: Passing on

    /// Passes an operation on whose turn has come; returns false if something has changed.
    @discardableResult
    func passOn(
        _ held: HeldOperation,
        _ ticket: TaskQueueTicket,
        at priority: TaskPriority
    ) -> Bool {
        let operation = held.operation
        if operation.isCancelled || operation.hasStarted {
            state.withLock { $0.machine.entryEnded(ticket) }
            if operation.isCancelled { end(operation) } else { operation.leave(self) }
            return false
        }
        // A dependency was added, or the priority was lowered, while the operation waited.
        let shown = TaskPriority(of: operation)
        guard operation.isReady, shown.rawValue <= priority.rawValue else {
            state.withLock { state in
                state.machine.entryRefused(ticket)
                state.machine.priorityChanged(of: ticket, to: shown)
                state.operationWaits(operation, ticket, in: self)
            }
            arrived(operation, nil, at: shown)
            return false
        }
        operation.leave(self)
        held.queue.addUnlessStarted(operation)
        return true
    }

    /// Nothing is left to pass on: the queue need not keep itself while nothing waits.
    func letGoIfIdle() {
        _ = state.withLock { $0.takeIdle() }
    }

    // MARK: Whether operations are ready

    func isDue(_ operation: Operation) -> Bool {
        operation.isReady || operation.isCancelled || operation.hasStarted
    }

    func waitingTicket(of operation: Operation) -> TaskQueueTicket? {
        state.withLock { $0.tickets[ObjectIdentifier(operation)] }
    }

    func changePolls<Result: Sendable>(
        _ change: @Sendable (inout ReadinessPolls, (TaskQueueTicket) -> Operation?) -> Result
    ) -> Result {
        state.withLock { state in
            // Taken out meanwhile, so that the rest can be read.
            var polls = ReadinessPolls()
            swap(&polls, &state.polls)
            defer { swap(&polls, &state.polls) }
            return change(&polls) { state.machine.entry($0)?.operation }
        }
    }

    // MARK: Reasons

    func reasonsNotStarted(at now: CoarseTime) -> (Operation) -> String? {
        { [self] operation in
            if let reason = operation.reasonNotReady { return reason }
            let reason = state.withLock { state in
                state.tickets[ObjectIdentifier(operation)]
                    .map { reasonToWait($0, state.machine, at: now) }
            }
            return reason?()
        }
    }

    /// Why an operation has not been started that waits here, or in a queue below.
    func reason(_ operation: Operation, below queue: any OperationScheduling) -> String? {
        operation.home === self
            ? reasonsNotStarted(at: .now)(operation) : queue.reasonNotStarted(operation)
    }
}
