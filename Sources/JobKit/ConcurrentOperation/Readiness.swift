import Synchronization

/// Counts the unfinished dependencies of one operation.
///
/// Dependencies hold the count and not the operation: an operation that is released before its
/// dependencies finish leaves nothing behind that could be used after free.
final class Readiness: Sendable {
    private let unfinished = Atomic<Int>(0)
    private weak let operation: ConcurrentOperation?

    init(of operation: ConcurrentOperation) {
        self.operation = operation
    }

    var isReady: Bool { unfinished.load(ordering: .acquiring) <= 0 }

    func dependencyAdded() {
        unfinished.add(1, ordering: .relaxed)
    }

    /// Called when a dependency has finished or was removed; makes the operation ready at zero.
    func dependencyGone() {
        guard unfinished.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        operation?.becomeReady()
    }
}
