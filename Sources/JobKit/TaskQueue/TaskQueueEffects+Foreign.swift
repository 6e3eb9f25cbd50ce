import Foundation
import Synchronization

/// An `Operation` that is no ``ConcurrentOperation``, while it stands in a ``TaskQueue``.
struct ForeignEntry: Sendable {
    let slot: Int
    /// Tells of the finish of an operation that did not finish inside its `start()`.
    var finishHook: FinishHook?
    /// The job's record, where the job hears of the finish from the queue.
    let record: TaskRecord?
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

    /// Adds a plain operation.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - admission: Whether it is a mistake if the operation cannot be added.
    ///   - record: The record of a job that is to hear from the queue that the operation has finished.
    /// - Returns: Whether it was added; false where it had been started.
    @discardableResult
    func addForeign(
        _ operation: Operation,
        admission: Admission,
        tellingOfFinish record: TaskRecord? = nil
    ) -> Bool {
        guard !operation.isFinished, !operation.isExecuting else {
            if admission == .unlessStarted { return false }
            refuse(operation, "has been started")
        }
        let id = ObjectIdentifier(operation)
        guard Self.standing.withLock({ $0.updateValueIfNew(self, forKey: id) }) else {
            refuse(operation, "stands in a TaskQueue already")
        }
        let priority = TaskPriority(queuePriority: operation.queuePriority.rawValue)
        let isReady = operation.isReady
        send { state in
            if state.keptAlive == nil { state.keptAlive = self }
            let slot = state.machine.entryAdded(
                operation,
                priority: priority,
                isReady: isReady
            )
            state.foreign[id] = ForeignEntry(slot: slot, record: record)
        }
        trackerAdded(to: operation)
        if !isReady { lookWhetherReady(operation) }
        return true
    }

    /// Starts a plain operation; returns the job that has to be delivered to.
    ///
    /// Where it finishes meanwhile, as nearly all do, nobody has to watch for its finish, which costs
    /// an operation more. Its dependents hear of it before its place is given away.
    func startForeign(_ operation: Operation, _ context: ThreadContext) -> JobEffects? {
        var mail: JobEffects?
        // Somebody else may have started it, as Foundation forbids.
        if !operation.isFinished, !operation.isExecuting {
            JobEffects.tellStarted(operation)
            let outer = context.enter(operation)
            operation.start()
            context.starting = outer
            mail = context.foreignMail.take()
        }
        let id = ObjectIdentifier(operation)
        let record = state.withLock { $0.foreign[id]?.record }
        guard operation.isFinished else {
            watch(operation, for: record)
            return mail?.claimDelivery() == true ? mail : nil
        }
        if let record {
            record.effects.taskFinished(record)
            if mail == nil { mail = record.effects } else { record.effects.deliverElsewhere() }
        }
        let isClaimed = mail?.claimDelivery() ?? false
        foreignFinished(operation)
        return isClaimed ? mail : nil
    }

    /// Learns of the finish of an operation that did not finish inside its `start()`.
    private func watch(_ operation: Operation, for record: TaskRecord?) {
        let hook = FinishHook { [self] in
            if let record {
                record.effects.taskFinished(record)
                record.effects.deliverElsewhere()
            }
            foreignFinished(operation)
        }
        state.withLock { $0.foreign[ObjectIdentifier(operation)]?.finishHook = hook }
        hook.watch(operation)
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

    private func foreignFinished(_ operation: Operation) {
        let id = ObjectIdentifier(operation)
        let (end, entry) = send { state in
            (removeFinished(operation, &state), state.foreign.removeValue(forKey: id))
        }
        end?.tellWaiters()
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
