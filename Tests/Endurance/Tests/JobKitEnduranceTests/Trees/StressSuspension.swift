import Synchronization

/// The times in which a job is suspended, by itself.
final class StressSuspension: Sendable {
    private let begun = Atomic(0)
    private let ended = Atomic(0)

    var isActive: Bool { ended.load(ordering: .acquiring) < begun.load(ordering: .acquiring) }

    /// Begins a time unless one has begun; the result ends it, to be called before the resuming.
    func suspend() -> (@Sendable () -> Void)? {
        guard !isActive else { return nil }
        let number = begun.add(1, ordering: .acquiringAndReleasing).newValue
        return { self.ended.store(number, ordering: .releasing) }
    }

    /// Whether the job has not been resumed since now; nil if it is not suspended.
    var whileHeld: (@Sendable () -> Bool)? {
        guard isActive else { return nil }
        let number = begun.load(ordering: .acquiring)
        return { self.ended.load(ordering: .acquiring) < number }
    }
}
