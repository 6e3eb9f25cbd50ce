import Synchronization

/// Counts calls from any thread.
final class Tally: Sendable {
    private let calls = Atomic(0)

    var count: Int { calls.load(ordering: .acquiring) }

    func add() { calls.add(1, ordering: .acquiringAndReleasing) }
}
