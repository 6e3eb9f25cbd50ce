import Synchronization

/// Counts the unfinished dependencies of an operation, or the operations that a closure waits for.
///
/// Dependencies hold the count and not the operation, which the closure retains weakly. Therefore,
/// an operation that is released before its dependencies finish leaves no reference that could be
/// used after it is freed.
final class DependencyCount: Sendable {
    private let unfinished = Atomic<Int>(0)
    private let body: @Sendable () -> Void

    /// Creates a count that calls `body` each time it becomes zero.
    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    var isReady: Bool { unfinished.load(ordering: .acquiring) <= 0 }

    func dependencyAdded() {
        unfinished.add(1, ordering: .relaxed)
    }

    /// Counts down because a dependency has finished or was removed.
    func dependencyGone() {
        guard unfinished.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        body()
    }
}
