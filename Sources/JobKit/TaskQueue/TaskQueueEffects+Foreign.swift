import Foundation
import Synchronization

/// An `Operation` that is no ``ConcurrentOperation``, while it stands in a ``TaskQueue``.
struct ForeignEntry: Sendable {
    let slot: Int
    let finishHook: FinishHook
    var dependencyHooks: [FinishHook] = []
}

extension TaskQueueEffects {
    /// The plain operations that stand in any task queue, so that none is added twice.
    private static let standing = Guarded(Set<ObjectIdentifier>())

    func addForeign(_ operation: Operation, admission: Admission) {
        guard !operation.isFinished, !operation.isExecuting else {
            if admission == .unlessStarted { return }
            refuse(operation, "has been started")
        }
        let id = ObjectIdentifier(operation)
        guard Self.standing.withLock({ $0.insert(id).inserted }) else {
            refuse(operation, "stands in a TaskQueue already")
        }
        let priority = TaskPriority(queuePriority: operation.queuePriority.rawValue)
        let hook = FinishHook { [self] () -> Void in foreignFinished(id) }
        let jobs: [ConcurrentOperation] =
            asksForLenders.load(ordering: .acquiring) ? jobsWaiting(for: operation) : []
        send { state in
            let lenders = jobs.compactMap { self.slot(of: $0, &state) }
            let slot = state.machine.entryAdded(
                operation,
                priority: priority,
                isReady: false,
                lenders: lenders
            )
            state.foreign[id] = ForeignEntry(slot: slot, finishHook: hook)
        }
        hook.watch(operation)
        lookWhetherReady(operation)
    }

    /// Starts a plain operation; returns the job that has to be delivered to.
    func startForeign(_ operation: Operation, _ context: ThreadContext) -> JobEffects? {
        JobEffects.tellStarted(operation)
        let outer = context.enter(operation)
        operation.start()
        context.starting = outer
        defer { context.foreignMail = nil }
        guard let mail = context.foreignMail, mail.claimDelivery() else { return nil }
        return mail
    }

    private func watchDependencies(of operation: Operation) {
        let unfinished = operation.dependencies.filter { !$0.isFinished }
        guard !unfinished.isEmpty else { return lookAgainSoon(operation) }
        let countdown = Countdown(unfinished.count) { [self, weak operation] in
            if let operation { lookAgainSoon(operation) }
        }
        for dependency in unfinished {
            let hook = FinishHook { countdown.step() }
            state.withLock {
                $0.foreign[ObjectIdentifier(operation)]?.dependencyHooks.append(hook)
            }
            hook.watch(dependency)
        }
    }

    /// Makes an operation ready, or sees that somebody looks again.
    ///
    /// Dependencies of a ``ConcurrentOperation`` tell by themselves. Those of a plain operation tell
    /// that they have finished, but perhaps before Foundation has counted them; and nothing at all
    /// tells of an `isReady` that a user has overridden: such an operation is asked again and again.
    func lookWhetherReady(_ operation: Operation) {
        guard state.withLock({ slot(of: operation, &$0) }) != nil else { return }
        if operation.isReady { return operationBecameReady(operation) }
        guard let concurrent = operation as? ConcurrentOperation else {
            return watchDependencies(of: operation)
        }
        if concurrent.hasNoUnfinishedDependency { lookAgainSoon(concurrent) }
    }

    private func lookAgainSoon(_ operation: Operation) {
        DispatchQueue.global()
            .asyncAfter(deadline: .now() + .milliseconds(1)) { [self] in
                lookWhetherReady(operation)
            }
    }

    private func foreignFinished(_ id: ObjectIdentifier) {
        let operation = state.withLock { state in
            state.foreign[id].flatMap { state.machine.slots[$0.slot].entry }
        }
        guard let operation else { return }
        operationFinished(operation)
        let entry = state.withLock { $0.foreign.removeValue(forKey: id) }
        for hook in entry?.dependencyHooks ?? [] { _ = hook.detach() }
        _ = Self.standing.withLock { $0.remove(id) }
    }
}
