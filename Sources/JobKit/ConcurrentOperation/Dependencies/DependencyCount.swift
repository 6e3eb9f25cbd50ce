import Synchronization

/// Counts the unfinished dependencies of one operation, or of several for a closure.
///
/// Dependencies hold the count and not the operation: an operation that is released before its
/// dependencies finish leaves nothing behind that could be used after free.
final class DependencyCount: Sendable {
    private let unfinished = Atomic<Int>(0)
    /// Never changed; a `weak let` would not compile with the oldest toolchain that JobKit
    /// supports.
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

    /// Called when a dependency has finished or was removed; makes the operation ready, or calls
    /// the closure, at zero.
    func dependencyGone() {
        guard unfinished.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        if let body { body() } else { operation?.becomeReady() }
    }
}
