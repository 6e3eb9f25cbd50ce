import Synchronization

/// The observers of a job leave a job in it: calls a closure when they were told of all its tasks.
final class ObserversLeave: Sendable {
    private let remaining = Atomic<Int>(1)
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    /// Somebody else tells them of one more task.
    func expect() {
        remaining.add(1, ordering: .relaxed)
    }

    /// They were told of one task, or the job has found all of them.
    func step() {
        if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { body() }
    }
}
