import Foundation
import Synchronization

/// JobKit's own dependencies.
///
/// Each of Foundation's dependencies costs a search, and freeing a chain of them recurses.
extension ConcurrentOperation {
    var hasNoUnfinishedDependency: Bool {
        guard flags.contains(.hasDependencies), !isCancelled else { return true }
        return hooks.withLock { $0.dependencies.read { $0.unfinished.isReady } } ?? true
    }

    func wait(for operation: Operation) {
        let edge = hooks.withLock { hooks in
            hooks.dependencies.change(orMake: OperationDependencies(of: self)) {
                $0.insert(operation)
            }
        }
        guard let edge else { return }
        setFlag(.hasDependencies)
        edge.register(with: operation)
        announceUnready()
    }

    func stopWaiting(for operation: Operation) {
        let removed = hooks.withLock { $0.dependencies.change { $0.remove(operation) } }
        guard let edge = removed ?? nil else { return }
        if edge.end() { operation.dependentLeft() }
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
        let taken = hooks.withLock { $0.dependencies.change { $0.removeAll() } } ?? []
        for dependency in taken where dependency.edge.leave() {
            dependency.operation.dependentLeft()
        }
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
