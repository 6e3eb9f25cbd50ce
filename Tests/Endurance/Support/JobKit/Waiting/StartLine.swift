import Synchronization

/// Threads that set out together.
final class StartLine: Sendable {
    private let missing: Atomic<Int>

    init(_ count: Int) { missing = Atomic(count) }

    /// Returns when as many threads have come as the line waits for.
    func cross() {
        missing.subtract(1, ordering: .acquiringAndReleasing)
        while missing.load(ordering: .acquiring) > 0 { giveWay() }
    }
}
