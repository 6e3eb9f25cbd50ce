import Synchronization

/// Calls a closure when all that it waits for has ended, such as the dependencies of an operation.
///
/// Dependencies hold the group and not the operation, which the closure retains weakly. Therefore,
/// an operation that is released before its dependencies finish leaves no reference that could be
/// used after it is freed.
final class WaitGroup: Sendable {
    private let count = Atomic<Int>(0)
    private let body: @Sendable () -> Void

    /// Creates a group that calls `body` each time it becomes empty.
    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    var isEmpty: Bool { count.load(ordering: .acquiring) <= 0 }

    func enter() {
        count.add(1, ordering: .relaxed)
    }

    func leave() {
        guard count.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        body()
    }
}
