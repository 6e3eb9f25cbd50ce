import Foundation
import Synchronization

/// An `Operation` that is no ``ConcurrentOperation``, while it stands in a ``TaskQueue``.
struct ForeignEntry: Sendable {
    let slot: Int
    let finishHook: FinishHook
    var dependencyHooks: [ObjectIdentifier: FinishHook] = [:]
    /// When the operation is asked next whether it is ready.
    var nextLook: DispatchTime?
}

extension TaskQueueEffects {
    /// The queues of the plain operations that stand in one, so that none is added twice.
    private static let standing = Guarded<[ObjectIdentifier: TaskQueueEffects]>([:])

    /// The task queue in which an operation stands.
    static func queue(of operation: Operation) -> TaskQueueEffects? {
        guard let concurrent = operation as? ConcurrentOperation else {
            return standing.withLock { $0[ObjectIdentifier(operation)] }
        }
        return concurrent.hooks.withLock { $0.queue }
    }

    func addForeign(_ operation: Operation, admission: Admission) {
        guard !operation.isFinished, !operation.isExecuting else {
            if admission == .unlessStarted { return }
            refuse(operation, "has been started")
        }
        let id = ObjectIdentifier(operation)
        guard Self.standing.withLock({ $0.updateValueIfNew(self, forKey: id) }) else {
            refuse(operation, "stands in a TaskQueue already")
        }
        let priority = TaskPriority(queuePriority: operation.queuePriority.rawValue)
        let hook = FinishHook { [self] () -> Void in foreignFinished(id) }
        let asksForLenders = asksForLenders.load(ordering: .acquiring)
        let jobs: [ConcurrentOperation] = asksForLenders ? jobsWaiting(for: operation) : []
        send { state in
            let lenders = jobs.compactMap { self.slot(of: $0, &state) }
            if state.keptAlive == nil { state.keptAlive = self }
            let slot = state.machine.entryAdded(
                operation,
                priority: priority,
                isReady: false,
                lenders: lenders
            )
            state.foreign[id] = ForeignEntry(slot: slot, finishHook: hook)
        }
        if !asksForLenders { trackerAdded(to: operation) }
        hook.watch(operation)
        lookWhetherReady(operation)
    }

    /// Starts a plain operation; returns the job that has to be delivered to.
    ///
    /// Where it finishes meanwhile, its dependents hear of it before its place is given away.
    func startForeign(_ operation: Operation, _ context: ThreadContext) -> JobEffects? {
        JobEffects.tellStarted(operation)
        let outer = context.enter(operation)
        context.startedByWorker = ObjectIdentifier(operation)
        operation.start()
        context.startedByWorker = nil
        context.starting = outer
        let mail = context.foreignMail
        context.foreignMail = nil
        let isClaimed = mail?.claimDelivery() ?? false
        if context.hasForeignFinished {
            context.hasForeignFinished = false
            foreignFinished(ObjectIdentifier(operation))
        }
        return isClaimed ? mail : nil
    }

    private func watchDependencies(of operation: Operation) {
        let unfinished = operation.dependencies.filter { !$0.isFinished }
        guard !unfinished.isEmpty else { return lookAgain(operation, after: .milliseconds(1)) }
        let hooks = state.withLock { state -> [(Operation, FinishHook)] in
            let id = ObjectIdentifier(operation)
            guard let known = state.foreign[id]?.dependencyHooks else { return [] }
            let new = unfinished.filter { known[ObjectIdentifier($0)] == nil }
            let countdown = Countdown(new.count) { [self, weak operation] in
                if let operation { lookWhetherReady(operation) }
            }
            return new.map { dependency in
                let hook = FinishHook { countdown.step() }
                state.foreign[id]?.dependencyHooks[ObjectIdentifier(dependency)] = hook
                return (dependency, hook)
            }
        }
        for (dependency, hook) in hooks { hook.watch(dependency) }
        lookAgain(operation, after: .milliseconds(100))
    }

    /// Makes an operation ready, or sees that somebody looks again.
    ///
    /// Dependencies of a ``ConcurrentOperation`` tell by themselves. Those of a plain operation tell
    /// that they have finished, but perhaps before Foundation has counted them; and nothing at all
    /// tells of an `isReady` that a user has overridden, or that a plain operation was cancelled:
    /// such an operation is asked again and again.
    func lookWhetherReady(_ operation: Operation) {
        guard state.withLock({ slot(of: operation, &$0) }) != nil else { return }
        if operation.isReady { return operationBecameReady(operation) }
        guard let concurrent = operation as? ConcurrentOperation else {
            return watchDependencies(of: operation)
        }
        if concurrent.hasNoUnfinishedDependency {
            lookAgain(concurrent, after: .milliseconds(1))
        }
    }

    /// Looks again on a thread that no blocked operation holds, unless that is to be sooner anyway.
    private func lookAgain(_ operation: Operation, after delay: DispatchTimeInterval) {
        let id = ObjectIdentifier(operation)
        let time = DispatchTime.now() + delay
        let queue = state.withLock { state -> DispatchQueue? in
            if let next = state.foreign[id]?.nextLook, next <= time { return nil }
            state.foreign[id]?.nextLook = time
            let queue = state.lookQueue ?? DispatchQueue(label: "\(name) readiness", qos: quality)
            state.lookQueue = queue
            return queue
        }
        queue?
            .asyncAfter(deadline: time) { [self] in
                let isDue = state.withLock { state in
                    guard let next = state.foreign[id]?.nextLook else { return true }
                    guard next == time else { return false }
                    state.foreign[id]?.nextLook = nil
                    return true
                }
                if isDue { lookWhetherReady(operation) }
            }
    }

    private func foreignFinished(_ id: ObjectIdentifier) {
        let context = ThreadContext.current
        guard context.startedByWorker != id else {
            context.hasForeignFinished = true
            return
        }
        let operation = state.withLock { state in
            state.foreign[id].flatMap { state.machine.slots[$0.slot].entry }
        }
        guard let operation else { return }
        operationFinished(operation)
        let entry = state.withLock { $0.foreign.removeValue(forKey: id) }
        for hook in entry?.dependencyHooks.values.map({ $0 }) ?? [] { _ = hook.detach() }
        _ = Self.standing.withLock { $0.removeValue(forKey: id) }
        // Another operation could have its address, and so be taken for it, as soon as it is freed.
        withExtendedLifetime(operation) {}
    }
}

extension Dictionary {
    /// Returns false, and changes nothing, if there is a value for the key.
    fileprivate mutating func updateValueIfNew(_ value: Value, forKey key: Key) -> Bool {
        guard self[key] == nil else { return false }
        self[key] = value
        return true
    }
}
