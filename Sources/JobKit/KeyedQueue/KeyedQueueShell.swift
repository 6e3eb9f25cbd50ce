import Dispatch
import Foundation
import Synchronization

/// Owns the lock of a ``KeyedQueue``, and passes operations on with the lock released.
@usableFromInline
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
    @usableFromInline
    func add(
        _ operation: Operation,
        _ keys: ShortList<AnyKey> = ShortList(),
        _ duplicates: DuplicatePolicy = .append,
        on queue: (any OperationScheduling)? = nil,
        mayHaveStarted: Bool = false
    ) -> Operation {
        guard enter(operation, mayHaveStarted: mayHaveStarted) else { return operation }
        let held = HeldOperation(operation: operation, queue: queue ?? queueBelow)
        let listener = HeldListener(of: self)
        let isJob = operation.asLender != nil
        if isJob { KeyedJobs.jobAdded() }
        let jobs = duplicates == .join ? KeyedJobs.above(operation) : []
        var policy = keys.first == nil ? .append : duplicates
        while true {
            let priority = OperationPriority(of: operation)
            let (kept, replaced) = state.withLock { state -> (Operation?, [HeldCancelStep]) in
                let same = policy == .append ? [] : state.machine.duplicates(of: keys)
                if let kept = state.kept(same, policy, below: jobs) { return (kept, []) }
                let replaced = policy == .replace ? same.filter(state.machine.isWaiting) : []
                let ticket = state.machine.entryAdded(
                    held,
                    keys: keys,
                    priority: priority,
                    isJob: isJob,
                    position: replaced.first.map { state.machine.slots[$0.slot].position }
                )
                listener.ticket = ticket
                state.operationWaits(operation, ticket, in: self)
                return (nil, state.take(replaced, from: self))
            }
            guard let kept else {
                if !replaced.isEmpty { CancelSweep(replaced).run() }
                arrived(operation, listener, at: priority)
                KeyedJobs.changed(above: operation)
                return operation
            }
            // Read without the lock, because a user's class may override these properties.
            if policy == .join, kept.isCancelled || kept.isFinished {
                policy = .keep
                continue
            }
            operation.cancel()
            end(operation)
            return kept
        }
    }

    // MARK: Passing on

    func passOn() {
        guard state.withLock({ $0.claim() }) else { return }
        let now = CoarseTime.now.rawValue
        while let next = state.withLock({ state in
            let next = state.machine.next(at: now)
            if let next { state.operationLeaves(next.entry.operation) } else { state.endClaim() }
            return next
        }) {
            passOn(next.entry, next.ticket, at: next.priority)
        }
        resumeIdleWaiters()
    }

    func operationEnded(_ listener: HeldListener) { end(listener) }

    func operationStarted(_ listener: HeldListener) {}

    // MARK: The queue as a whole

    /// Cancels the operations of a key, or all operations, as one decision.
    func cancelAll(of key: AnyKey? = nil) {
        let steps = state.withLock { state in
            state.take(state.machine.entries(with: key), from: self)
        }
        CancelSweep(steps).run()
        passOn()
    }

    func waitUntilIdle() async {
        await withUnsafeContinuation { continuation in
            idleWaiters.withLock { $0.append { continuation.resume() } }
            resumeIdleWaiters()
        }
    }

    private func resumeIdleWaiters() {
        // Both locks are held, because a later caller may wait for an operation added in between.
        let resumed = idleWaiters.withLock { waiters in
            waiters.isEmpty || ask { $0.count > 0 } ? [] : exchange(&waiters, with: [])
        }
        for resume in resumed { resume() }
    }

    // MARK: Reasons

    func reasonToWait(
        _ ticket: TaskQueueTicket,
        _ machine: Machine,
        at now: CoarseTime
    ) -> @Sendable () -> String {
        if machine.isSuspended { return { [name] in "suspended: \(name)" } }
        let wait = machine.wait(of: ticket, naming: OperationName.limit)
        let count = machine.passedOnCount
        return { [name] in
            switch wait {
            case .key(let key, let other, let since):
                let name = "\"\(operationLabel(other.operation))\""
                guard let since else { return "waits for \(key), behind \(name)" }
                let time = StallWords.time(since: CoarseTime(rawValue: since), to: now)
                return "waits for \(key), which \(name) "
                    + (time.isEmpty ? "holds" : "has held\(time)")
            case .permit(let first):
                let names = OperationName.list(first.map(\.operation), of: count)
                return "full: \(name), which has passed on \(names)"
            case .nothing: return "ready in \(name)"
            }
        }
    }
}

extension HoldingState where Machine == KeyedQueueShell.Machine {
    /// The duplicate that stays instead of a new operation below these jobs.
    fileprivate func kept(
        _ duplicates: [TaskQueueTicket],
        _ policy: DuplicatePolicy,
        below jobs: [Operation]
    ) -> Operation? {
        guard policy == .keep || policy == .join else { return nil }
        let operations = duplicates.compactMap { machine.slots[$0.slot].entry?.operation }
        if let last = duplicates.last, machine.isWaiting(last) { return operations.last }
        guard policy == .join else { return nil }
        return operations.last { other in !jobs.contains { $0 === other } }
    }

    /// Removes the operations that wait, so that none of them is passed on.
    ///
    /// - Returns: The steps that cancel all these operations.
    fileprivate mutating func take(
        _ tickets: [TaskQueueTicket],
        from queue: KeyedQueueShell
    ) -> [HeldCancelStep] {
        tickets.compactMap { ticket in
            guard let held = machine.slots[ticket.slot].entry else { return nil }
            let isWaiting = machine.isWaiting(ticket)
            if isWaiting {
                operationLeaves(held.operation)
                machine.entryEnded(ticket)
            }
            return HeldCancelStep(operation: held.operation, queue: isWaiting ? queue : nil)
        }
    }
}

/// Cancels an operation, and ends it if it was removed from a ``KeyedQueue``.
private struct HeldCancelStep: CancelStep {
    let operation: Operation
    let queue: KeyedQueueShell?

    var target: Operation? { operation }

    func bar() -> [any CancelStep] { operation.bar() }

    func carryOut() {
        operation.cancelInSweep()
        queue?.end(operation)
    }
}
