import Synchronization

/// Tells whether the objects that it made have all been released.
final class Kept: Sendable {
    private let count = Atomic(0)

    var isReleased: Bool { count.load(ordering: .acquiring) == 0 }

    func make() -> ReleaseToken {
        count.add(1, ordering: .relaxed)
        return ReleaseToken { self.count.subtract(1, ordering: .releasing) }
    }
}
