import Foundation
import Synchronization

/// Dependencies of JobKit's own, because Foundation's cost a search for each and recurse when freed.
extension ConcurrentOperation {
    var hasNoUnfinishedDependency: Bool {
        let state = currentLifecycle
        guard state.contains(.hasDependencies), !state.contains(.cancelled) else { return true }
        return hooks.withLock { $0.readiness }?.isReady ?? true
    }

    func wait(for operation: Operation) {
        let readiness = hooks.withLock { hooks -> Readiness? in
            if hooks.dependencies == nil { hooks.dependencies = OperationDependencies() }
            guard hooks.dependencies?.insert(operation) == true else { return nil }
            let readiness = hooks.readiness ?? Readiness(of: self)
            hooks.readiness = readiness
            readiness.dependencyAdded()
            return readiness
        }
        guard let readiness else { return }
        lifecycle.bitwiseOr(
            OperationLifecycle.hasDependencies.rawValue,
            ordering: .acquiringAndReleasing
        )
        if let operation = operation as? ConcurrentOperation {
            let isWaiting = operation.hooks.withLock { $0.addDependent(readiness) }
            if !isWaiting { readiness.dependencyGone() }
        } else if operation.isFinished {
            readiness.dependencyGone()
        } else {
            let hook = FinishHook { readiness.dependencyGone() }
            hooks.withLock { $0.dependencies?.keep(hook, for: operation) }
            hook.watch(operation)
        }
        announceUnready()
    }

    func stopWaiting(for operation: Operation) {
        let (removed, readiness) = hooks.withLock {
            ($0.dependencies?.remove(operation), $0.readiness)
        }
        guard let removed, removed.wasPresent, let readiness else { return }
        if let operation = operation as? ConcurrentOperation {
            let wasWaiting = operation.hooks.withLock { $0.removeDependent(readiness) }
            if wasWaiting { readiness.dependencyGone() }
        } else if let hook = removed.hook, hook.detach() {
            readiness.dependencyGone()
        }
    }

    /// The last dependency has finished: tells whoever may be waiting to start the operation.
    func becomeReady() {
        if let queue = hooks.withLock({ $0.queue }) {
            queue.operationBecameReady(self)
        } else if !currentLifecycle.contains(.started) {
            announceReady()
            readinessChanged()
        }
    }

    func takeDependencies() -> [Operation] {
        guard currentLifecycle.contains(.hasDependencies) else { return [] }
        var taken = hooks.withLock { $0.dependencies.take() }
        guard let taken = taken?.removeAll() else { return [] }
        for hook in taken.hooks { _ = hook.detach() }
        return taken.operations
    }

    /// Releases what the operation owns one by one: the end of a chain of 100,000 would otherwise
    /// overflow the stack.
    func releaseWithoutRecursion() {
        var owned = takeOwnedOperations()
        while var operation = owned.popLast() {
            guard isKnownUniquelyReferenced(&operation) else { continue }
            guard let last = operation as? ConcurrentOperation else { continue }
            owned.append(contentsOf: last.takeOwnedOperations())
        }
    }
}
