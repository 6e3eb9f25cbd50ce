import Synchronization

/// Counts simultaneous activities.
final class Gauge: Sendable {
    private let limit: Int
    private let now = Atomic(0)
    private let exceeded = Atomic(false)

    init(limit: Int = .max) { self.limit = limit }

    var wasExceeded: Bool { exceeded.load(ordering: .acquiring) }

    func enter() {
        let count = now.add(1, ordering: .acquiringAndReleasing).newValue
        if count > limit { exceeded.store(true, ordering: .releasing) }
    }

    func leave() { now.subtract(1, ordering: .acquiringAndReleasing) }
}
