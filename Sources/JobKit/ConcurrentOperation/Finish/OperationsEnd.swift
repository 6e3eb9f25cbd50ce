import Foundation
import Synchronization

/// Calls a closure when all of some operations have finished, of any class.
///
/// Retains the operations until then, or until it is released itself: the closure is not called
/// then.
final class OperationsEnd: Sendable {
    private let edges = Guarded<[(operation: Operation, edge: DependencyEdge)]>([])
    private let dependencyCount: DependencyCount

    /// Prepares to call `body` once, on the thread of the last finish, after ``wait(for:)``.
    init(_ body: @escaping @Sendable () -> Void) {
        dependencyCount = DependencyCount(body)
    }

    deinit {
        for (operation, edge) in edges.withLock({ $0 }) where edge.leave() {
            edge.withdraw(from: operation)
        }
    }

    /// Begins to wait; calls the closure before it returns if all have finished.
    func wait(for operations: [Operation]) {
        // Holds the end back until all are waited for.
        let last = DependencyEdge(dependencyCount)
        let new = operations.map { (operation: $0, edge: DependencyEdge(dependencyCount)) }
        edges.withLock { $0 = new }
        for (operation, edge) in new { edge.register(with: operation) }
        last.end()
    }

    /// Suspends the calling task until all have finished.
    static func reached(by operations: [Operation]) async {
        var end: OperationsEnd?
        await withUnsafeContinuation { continuation in
            let awaited = OperationsEnd { continuation.resume() }
            end = awaited
            awaited.wait(for: operations)
        }
        withExtendedLifetime(end) {}
    }
}
