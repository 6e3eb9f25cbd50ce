import Synchronization

/// Calls a closure once, at the last of a number of steps.
final class Countdown: Sendable {
    private let remaining: Atomic<Int>
    private let body: @Sendable () -> Void

    init(_ count: Int, then body: @escaping @Sendable () -> Void) {
        remaining = Atomic(count)
        self.body = body
    }

    func step() {
        if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { body() }
    }
}
