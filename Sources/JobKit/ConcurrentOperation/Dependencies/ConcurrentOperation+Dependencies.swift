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
        for dependency in taken where dependency.edge.leave() {
            dependency.edge.withdraw(from: dependency.operation)
        }
        return taken.map(\.operation)
    }

    /// Releases what the operation owns, at constant stack depth (Q3).
    ///
    /// If that frees further operations, also through plain ones between them, they leave what they
    /// own to this call.
    func releaseWithoutRecursion() {
        guard isJob || currentLifecycle.contains(.hasDependencies) else { return }
        let context = ThreadContext.current
        guard context.pointee.released == nil else {
            context.pointee.released?.append(contentsOf: takeOwnedOperations())
            return
        }
        // Not kept in a variable, which would be the last to hold them.
        context.pointee.released = takeOwnedOperations()
        while let operation = context.pointee.released?.popLast() {
            withExtendedLifetime(operation) {}
        }
        context.pointee.released = nil
    }
}
