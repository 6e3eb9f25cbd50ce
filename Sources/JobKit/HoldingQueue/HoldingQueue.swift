import Foundation

/// The part of a state machine that holds entries back until it is their turn.
protocol HoldingStateMachine {
    associatedtype Entry

    /// The entry of a ticket, if it waits.
    func entry(_ ticket: TaskQueueTicket) -> Entry?

    mutating func entryBecameReady(_ ticket: TaskQueueTicket)
    mutating func priorityChanged(of ticket: TaskQueueTicket, to priority: OperationPriority)

    /// Makes an entry wait again, because it was not ready when it was about to be passed on.
    mutating func entryRefused(_ ticket: TaskQueueTicket)

    /// Removes an entry that has finished, or that leaves the queue without being passed on.
    mutating func entryEnded(_ ticket: TaskQueueTicket)
}

/// An operation that a queue holds back, and the queue to which it will be passed on.
struct HeldOperation: Sendable {
    let operation: Operation
    let queue: any OperationScheduling
}

/// The state of a holding queue.
///
/// The queue's lock guards it.
struct HoldingState<Machine: HoldingStateMachine> {
    var machine: Machine
    /// The tickets of the operations that wait.
    fileprivate var tickets: [ObjectIdentifier: TaskQueueTicket] = [:]
    /// Decides which operations are checked for readiness or cancellation again, and when.
    fileprivate var polls = ReadinessPolls()
    /// The queue itself, while operations wait.
    private var keptAlive: AnyObject?
    /// Whether a thread is passing operations on.
    private var isPassingOn = false

    init(_ machine: Machine) { self.machine = machine }

    /// Records that an operation waits in the queue.
    mutating func operationWaits(
        _ operation: Operation,
        _ ticket: TaskQueueTicket,
        in queue: AnyObject
    ) {
        tickets[ObjectIdentifier(operation)] = ticket
        keptAlive = queue
    }

    /// Removes an operation that no longer waits, and returns its ticket if it was waiting.
    @discardableResult
    mutating func operationLeaves(_ operation: Operation) -> TaskQueueTicket? {
        let ticket = tickets.removeCompactly(ObjectIdentifier(operation))
        // Not the last reference, because a method of the queue calls this.
        if tickets.isEmpty { keptAlive = nil }
        return ticket
    }

    /// Returns whether the caller must pass operations on, because no other thread does.
    mutating func claim() -> Bool { !exchange(&isPassingOn, with: true) }

    /// Ends the claim, because no operation can be passed on now.
    mutating func endClaim() { isPassingOn = false }
}

/// The common part of ``RateLimitedQueue`` and ``KeyedQueue``, which wait in front of another
/// queue.
///
/// An operation waits here until it is ready and the queue's state machine decides that it is its
/// turn. During this time, it holds no thread and no permit of the queue below. A ``HeldListener``
/// notifies the queue of its start and completion.
protocol HoldingQueue: ContainingQueue {
    associatedtype Machine: HoldingStateMachine where Machine.Entry == HeldOperation

    var state: Guarded<HoldingState<Machine>> { get }

    /// The queue's name in messages about misuse.
    var label: String { get }

    /// Passes on the operations whose turn it is.
    ///
    /// Only one thread at a time does this, so that operations arrive in order.
    func passOn()

    /// Handles the completion of an operation by calling `end(_:)`.
    ///
    /// Each class implements this itself. A method of the extension, called through `any
    /// HoldingQueue`, would run generic code, which takes 30,000 instructions here.
    func operationEnded(_ listener: HeldListener)

    /// Called when the operation is started, before it enters `main()`.
    func operationStarted(_ listener: HeldListener)

    /// Returns why a ready operation waits.
    ///
    /// Called with the lock held.
    func reasonToWait(
        _ ticket: TaskQueueTicket,
        _ machine: Machine,
        at now: CoarseTime
    ) -> @Sendable () -> String
}

/// Ends cancelled plain operations, whose `start()` may be user code.
private let cancelledOperations = TaskQueue(name: "JobKit.cancelled")

extension HoldingQueue {
    // MARK: Adding

    /// Adds an operation to this queue.
    ///
    /// - Returns: False if other code has started it. This traps if `mayHaveStarted` is false.
    func enter(_ operation: Operation, mayHaveStarted: Bool) -> Bool {
        let entry = operation.enter(self, startsIt: false, nil)
        guard entry.isQueued || mayHaveStarted && !entry.isElsewhere else {
            let reason = entry.isElsewhere ? "is in a queue already" : "has been started"
            fatalError(
                "JobKit: \(operationLabel(operation)) was added to \(label), but it \(reason)."
            )
        }
        return entry.isQueued
    }

    /// Applies the changes of an operation that happened before its ticket was stored.
    func arrived(_ operation: Operation, _ listener: HeldListener?, at priority: OperationPriority)
    {
        operation.mark(.held)
        if let listener, !operation.addListener(listener) { return end(listener) }
        checkReadiness(of: operation)
        // Its cancellation is not announced.
        if !operation.notifiesQueue { poll(operation, isSoon: false) }
        if OperationPriority(of: operation) != priority { operationPriorityChanged(operation) }
    }

    // MARK: Changes of operations

    func operationBecameReady(_ operation: Operation) {
        // Other code may have started it.
        guard operation.hasStarted || operation.isCancelled else {
            _ = change(operation) { $0.machine.entryBecameReady($1) }
            return
        }
        let waited = change(operation) { state, ticket in
            state.operationLeaves(operation)
            state.machine.entryEnded(ticket)
        }
        if waited { end(operation) }
    }

    func operationPriorityChanged(_ operation: Operation) {
        OperationPriority.changed(of: operation) { priority in
            _ = change(operation) { $0.machine.priorityChanged(of: $1, to: priority) }
        }
    }

    /// Handles the completion of an operation, here or in the queue below.
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

    /// Changes the state if an operation waits, and returns whether it does.
    private func change(
        _ operation: Operation,
        _ input: (inout HoldingState<Machine>, TaskQueueTicket) -> Void
    ) -> Bool {
        let waits = state.withLock { state in
            guard let ticket = state.tickets[ObjectIdentifier(operation)] else { return false }
            input(&state, ticket)
            return true
        }
        if waits { passOn() }
        return waits
    }

    /// Ends an operation that is not passed on, without running its code if it was cancelled.
    func end(_ operation: Operation) {
        operation.leave(self)
        guard !operation.hasStarted else { return }
        if operation.notifiesQueue {
            operation.startCancelled()
        } else {
            cancelledOperations.addUnlessStarted(operation)
        }
    }

    // MARK: Passing on

    /// Passes on an operation whose turn it is.
    ///
    /// Returns false if it was cancelled, was started or must wait again.
    @discardableResult
    func passOn(
        _ held: HeldOperation,
        _ ticket: TaskQueueTicket,
        at priority: OperationPriority
    ) -> Bool {
        let operation = held.operation
        if operation.isCancelled || operation.hasStarted {
            state.withLock { $0.machine.entryEnded(ticket) }
            end(operation)
            return false
        }
        // A dependency was added, or the priority was lowered, while the operation waited.
        let shown = OperationPriority(of: operation)
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

    // MARK: Whether operations are ready

    func isStartable(_ operation: Operation) -> Bool {
        operation.isReady || operation.isCancelled || operation.hasStarted
    }

    func waitingTicket(of operation: Operation) -> TaskQueueTicket? {
        state.withLock { $0.tickets[ObjectIdentifier(operation)] }
    }

    func operation(waitingAt ticket: TaskQueueTicket) -> Operation? {
        state.withLock { state in
            guard let operation = state.machine.entry(ticket)?.operation,
                state.tickets[ObjectIdentifier(operation)] == ticket
            else { return nil }
            return operation
        }
    }

    func changePolls<Result: Sendable>(
        _ change: (inout ReadinessPolls) -> Result
    ) -> Result {
        state.withLock { change(&$0.polls) }
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

    /// Why an operation that waits here, or in a queue below, has not been started.
    func reason(_ operation: Operation, below queue: any OperationScheduling) -> String? {
        operation.containingQueue === self
            ? reasonsNotStarted(at: .now)(operation) : queue.reasonNotStarted(operation)
    }
}
