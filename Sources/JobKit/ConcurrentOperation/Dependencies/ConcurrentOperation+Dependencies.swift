import Foundation
import Synchronization

/// JobKit's own dependencies: Foundation's cost a search each, and recurse when they are freed.
extension ConcurrentOperation {
    var hasNoUnfinishedDependency: Bool {
        let state = currentLifecycle
        guard state.contains(.hasDependencies), !state.contains(.cancelled) else { return true }
        return hooks.withLock { $0.dependencyCount }?.isReady ?? true
    }

    func wait(for operation: Operation) {
        let edge = hooks.withLock { hooks in
            let dependencyCount = hooks.dependencyCount ?? DependencyCount(of: self)
            hooks.dependencyCount = dependencyCount
            hooks.dependencies = hooks.dependencies ?? OperationDependencies()
            return hooks.dependencies?.insert(operation) { DependencyEdge(dependencyCount) }
        }
        guard let edge else { return }
        note(.hasDependencies)
        edge.register(with: operation)
        announceUnready()
    }

    func stopWaiting(for operation: Operation) {
        guard let edge = hooks.withLock({ $0.dependencies?.remove(operation) }) else { return }
        if edge.end() { edge.withdraw(from: operation) }
    }

    /// The last dependency has finished: tells the queue that may wait to start the operation.
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
        for dependency in taken where dependency.edge.abandon() {
            dependency.edge.withdraw(from: dependency.operation)
        }
        return taken.map(\.operation)
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
