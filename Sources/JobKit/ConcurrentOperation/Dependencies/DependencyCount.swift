import Synchronization

/// Counts the unfinished dependencies of an operation, or the operations that a closure waits for.
///
/// Dependencies hold the count and not the operation. Therefore, an operation that is released
/// before its dependencies finish leaves no reference that could be used after it is freed.
final class DependencyCount: Sendable {
    private let unfinished = Atomic<Int>(0)
    /// Never changed, but a `weak let` would not compile with the oldest supported toolchain.
    nonisolated(unsafe) private weak var operation: ConcurrentOperation?

    private let body: (@Sendable () -> Void)?

    init(of operation: ConcurrentOperation) {
        self.operation = operation
        body = nil
    }

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    var isReady: Bool { unfinished.load(ordering: .acquiring) <= 0 }

    func dependencyAdded() {
        unfinished.add(1, ordering: .relaxed)
    }

    /// Counts down because a dependency has finished or was removed.
    ///
    /// At zero, the operation becomes ready, or the closure is called.
    func dependencyGone() {
        guard unfinished.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        if let body { body() } else { operation?.becomeReady() }
    }
}
