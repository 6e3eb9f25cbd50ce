import Foundation
import Synchronization

/// Calls a closure when several operations, of any class, have all finished.
///
/// Retains the operations until then. If this object is released earlier, the closure is not
/// called.
final class CompletionGroup: Sendable {
    private let edges = Guarded<[(operation: Operation, edge: DependencyEdge)]>([])
    private let dependencyCount: DependencyCount

    /// Creates the object.
    ///
    /// - Parameter body: Called once, after ``wait(for:)``, on the thread that finishes the last
    ///   operation.
    init(_ body: @escaping @Sendable () -> Void) {
        dependencyCount = DependencyCount(body)
    }

    deinit {
        for (operation, edge) in edges.withLock({ $0 }) where edge.leave() {
            operation.dependentLeft()
        }
    }

    /// Starts waiting.
    ///
    /// If all operations have finished, the closure is called before this returns.
    func wait(for operations: [Operation]) {
        // Prevents the closure from being called before all edges are registered.
        let last = DependencyEdge(dependencyCount)
        let new = operations.map { (operation: $0, edge: DependencyEdge(dependencyCount)) }
        edges.withLock { $0 = new }
        for (operation, edge) in new { edge.register(with: operation) }
        last.end()
    }
}
