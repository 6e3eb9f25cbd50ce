import Foundation
import Synchronization

/// JobKit's own dependencies.
///
/// Each of Foundation's dependencies costs a search, and freeing a chain of them recurses.
extension ConcurrentOperation {
    var hasNoUnfinishedDependency: Bool {
        guard flags.contains(.hasDependencies), !isCancelled else { return true }
        return hooks.withLock { $0.dependencies.read { $0.unfinished.isEmpty } } ?? true
    }

    func wait(for operation: Operation) {
        let edge = hooks.withLock { hooks in
            hooks.dependencies.change(orMake: ownDependencies) { $0.insert(operation) }
        }
        guard let edge else { return }
        setFlag(.hasDependencies)
        edge.register(with: operation)
        announceUnready()
    }

    private var ownDependencies: OperationDependencies {
        OperationDependencies { [weak self] in self?.becomeReady() }
    }

    func stopWaiting(for operation: Operation) {
        let removed = hooks.withLock { $0.dependencies.change { $0.remove(operation) } }
        guard let edge = removed ?? nil else { return }
        if edge.end() { operation.dependentLeft(edge) }
    }

    /// Makes the operation startable after its last dependency has finished, and notifies its
    /// queue.
    func becomeReady() {
        if let queue = hooks.withLock({ $0.queue }) {
            queue.operationBecameReady(self)
        } else if !currentLifecycle.contains(.started) {
            announceReady()
            readinessChanged()
        }
    }

    func takeDependencies() -> [Operation] {
        guard flags.contains(.hasDependencies) else { return [] }
        let taken = hooks.withLock { $0.takeDependencies() }
        OperationDependencies.leave(taken)
        return taken.map(\.operation)
    }

    /// Releases the operations that this one owns, at constant stack depth (Q3).
    ///
    /// If this frees further operations, even through plain operations between them, those add the
    /// operations that they own to this call's list.
    func releaseWithoutRecursion() {
        guard isJob || flags.contains(.hasDependencies) else { return }
        let context = ThreadContext.current
        guard context.pointee.released == nil else {
            context.pointee.released?.append(contentsOf: takeOwnedOperations())
            return
        }
        // Not also kept in a variable, because that would hold the last reference to them.
        context.pointee.released = takeOwnedOperations()
        while let operation = context.pointee.released?.popLast() {
            withExtendedLifetime(operation) {}
        }
        context.pointee.released = nil
    }
}
