import Dispatch
import Foundation
import Synchronization

/// Owns the lock of a ``KeyedQueue``, and passes operations on with the lock released.
final class KeyedQueueShell: HoldingQueue {
    typealias Machine = KeyedQueueStateMachine<HeldOperation, AnyKey>

    let name: String
    let queueBelow: any OperationScheduling
    let state: Guarded<HoldingState<Machine>>
    let pollQueue = DispatchQueue(label: "JobKit.KeyedQueue")
    private let idleWaiters = Guarded<[@Sendable () -> Void]>([])

    var label: String { name }

    init(_ queue: any OperationScheduling, name: String, limitPerKey: Int, limit: Int) {
        self.name = name
        queueBelow = queue
        state = Guarded(HoldingState(Machine(limit: limit, limitPerKey: limitPerKey)))
    }

    /// Feeds an input to the state machine, then passes on the operations whose turn it is.
    func send<Result: Sendable>(_ input: (inout Machine) -> Result) -> Result {
        let result = state.withLock { input(&$0.machine) }
        passOn()
        return result
    }

    func ask<Result: Sendable>(_ question: (Machine) -> Result) -> Result {
        state.withLock { question($0.machine) }
    }

    // MARK: Adding

    /// Adds an operation, and returns the one that stays.
    func add(
        _ operation: Operation,
        keys: [AnyKey],
        duplicates: DuplicatePolicy,
        on queue: (any OperationScheduling)?,
        mayHaveStarted: Bool = false
    ) -> Operation {
        guard enter(operation, mayHaveStarted: mayHaveStarted) else { return operation }
        let held = HeldOperation(operation: operation, queue: queue ?? queueBelow)
        let listener = HeldListener(of: self)
        if (operation as? ConcurrentOperation)?.isJob == true { KeyedJobs.jobAdded() }
        let jobs = duplicates == .join ? ticketsAbove(operation) : []
        var policy = keys.isEmpty ? .append : duplicates
        while true {
            let priority = TaskPriority(of: operation)
            let found = state.withLock { state in
                state.add(held, keys, policy, listener, at: priority, below: jobs, in: self)
            }
            switch found {
            case .added(let replaced):
                cancel(waiting: replaced, passedOn: [])
                arrived(operation, listener, at: priority)
                if KeyedJobs.exist { KeyedJobs.changed(above: operation) }
                return operation
            case .waits(let other):
                return keep(other.operation, insteadOf: operation)
            case .passedOn(let other):
                // Read without the lock, because a user's class may override these properties.
                guard !other.operation.isCancelled, !other.operation.isFinished else {
                    policy = .keep
                    continue
                }
                return keep(other.operation, insteadOf: operation)
            }
        }
    }

    private func keep(_ kept: Operation, insteadOf operation: Operation) -> Operation {
        operation.cancel()
        end(operation)
        return kept
    }

    // MARK: Passing on

    func passOn() {
        guard state.withLock({ $0.machine.claimSteps() }) else { return }
        let now = CoarseTime.now.rawValue
        while let next = state.withLock({ $0.next(at: now) }) {
            passOn(next.entry, next.ticket, at: next.priority)
        }
        letGoIfIdle()
        resumeIdleWaiters()
    }

    func operationEnded(_ listener: HeldListener) { end(listener) }

    func operationStarted(_ ticket: TaskQueueTicket) {}

    // MARK: The queue as a whole

    /// Cancels the operations of a key, or all operations, as one decision.
    func cancelAll(of key: AnyKey? = nil) {
        let (waiting, passedOn) = state.withLock { state in state.takeWaiting(of: key) }
        cancel(waiting: waiting, passedOn: passedOn)
        passOn()
    }

    /// Cancels operations that waited here, which never start, and operations that were passed on.
    private func cancel(waiting: [HeldOperation], passedOn: [HeldOperation]) {
        let steps = passedOn.map { OperationCancelStep(operation: $0.operation) as any CancelStep }
        CancelSweep(steps + waiting.map { HeldCancelStep(operation: $0.operation, queue: self) })
            .run()
    }

    func waitUntilIdle() async {
        await withUnsafeContinuation { continuation in
            idleWaiters.withLock { $0.append { continuation.resume() } }
            resumeIdleWaiters()
        }
    }

    private func resumeIdleWaiters() {
        guard idleWaiters.withLock({ !$0.isEmpty }), state.withLock({ $0.machine.count == 0 })
        else { return }
        for resume in idleWaiters.withLock({ exchange(&$0, with: []) }) { resume() }
    }

    // MARK: Reasons

    func reasonToWait(
        _ ticket: TaskQueueTicket,
        _ machine: Machine,
        at now: CoarseTime
    ) -> @Sendable () -> String {
        let wait = machine.wait(of: ticket, naming: OperationNames.limit)
        let count = machine.lanes[0].memberCount
        return { [name] in
            switch wait {
            case .resumption: return "suspended: \(name)"
            case .key(let key, let holder, let since):
                let time = StallWords.time(since: CoarseTime(rawValue: since), to: now)
                let label = operationLabel(holder.operation)
                return "waits for \(key), which \"\(label)\" "
                    + (time.isEmpty ? "holds" : "has held\(time)")
            case .turn(let key, let other):
                return "waits for \(key), behind \"\(operationLabel(other.operation))\""
            case .place(let first):
                let names = OperationNames.list(first.map(\.operation), of: count)
                return "full: \(name), which has passed on \(names)"
            case .nothing: return "ready in \(name)"
            }
        }
    }
}

extension HoldingState where Machine == KeyedQueueShell.Machine {
    /// The result of adding an operation.
    fileprivate enum Addition {
        case added(replacing: [HeldOperation])
        /// A duplicate waits, and stays.
        case waits(HeldOperation)
        /// A duplicate was passed on, and may have been asked to stop.
        case passedOn(HeldOperation)
    }

    fileprivate mutating func add(
        _ held: HeldOperation,
        _ keys: [AnyKey],
        _ policy: DuplicatePolicy,
        _ listener: HeldListener,
        at priority: TaskPriority,
        below jobs: [TaskQueueTicket],
        in queue: KeyedQueueShell
    ) -> Addition {
        let duplicates = policy == .append ? [] : machine.duplicates(of: keys)
        let waiting = duplicates.filter { !machine.isPassedOn($0) }
        if policy == .keep || policy == .join, let last = waiting.last.flatMap(machine.entry) {
            return .waits(last)
        }
        if policy == .join,
            let last = duplicates.last(where: { !machine.isAbove($0, jobs) }),
            let entry = machine.slots[last.slot].entry
        {
            return .passedOn(entry)
        }
        let replaced = policy == .replace ? waiting : []
        let ticket = machine.entryAdded(
            held,
            keys: keys,
            priority: priority,
            isJob: (held.operation as? ConcurrentOperation)?.isJob == true,
            position: replaced.first?.sequence
        )
        listener.ticket = ticket
        operationWaits(held.operation, ticket, in: queue)
        return .added(replacing: take(replaced))
    }

    fileprivate mutating func next(
        at now: CoarseTime.RawValue
    ) -> (entry: HeldOperation, ticket: TaskQueueTicket, priority: TaskPriority)? {
        let next = machine.nextStep(at: now)
        if let next { operationLeaves(next.entry.operation) }
        return next
    }

    /// Removes waiting operations, so that none of them is passed on.
    private mutating func take(_ tickets: [TaskQueueTicket]) -> [HeldOperation] {
        tickets.compactMap { ticket in
            guard let held = machine.entry(ticket) else { return nil }
            operationLeaves(held.operation)
            machine.entryEnded(ticket)
            return held
        }
    }

    fileprivate mutating func takeWaiting(
        of key: AnyKey?
    ) -> (waiting: [HeldOperation], passedOn: [HeldOperation]) {
        let tickets = key.map(machine.entries(with:)) ?? machine.entries
        let passedOn = tickets.filter(machine.isPassedOn)
            .compactMap { machine.slots[$0.slot].entry }
        return (take(tickets), passedOn)
    }
}

/// Cancels an operation that was removed from a ``KeyedQueue``, and ends it.
private struct HeldCancelStep: CancelStep {
    let operation: Operation
    let queue: KeyedQueueShell

    func bar() -> [any CancelStep] { operation.bar() }

    func carryOut() {
        operation.cancelInSweep()
        queue.end(operation)
    }

    func ensureCancelled() { operation.ensureCancelled() }
}
