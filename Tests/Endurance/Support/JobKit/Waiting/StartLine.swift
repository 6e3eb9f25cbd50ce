import Synchronization

/// Lets threads start together.
final class StartLine: Sendable {
    private let missing: Atomic<Int>

    init(_ count: Int) { missing = Atomic(count) }

    /// Returns when the expected number of threads have arrived.
    func cross() {
        missing.subtract(1, ordering: .acquiringAndReleasing)
        while missing.load(ordering: .acquiring) > 0 { giveWay() }
    }
}
