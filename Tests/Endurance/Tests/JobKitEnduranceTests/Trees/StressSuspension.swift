import Synchronization

/// Records the periods in which a job suspends itself.
final class StressSuspension: Sendable {
    private let begun = Atomic(0)
    private let ended = Atomic(0)

    var isActive: Bool { ended.load(ordering: .acquiring) < begun.load(ordering: .acquiring) }

    /// Begins a period unless one has begun.
    ///
    /// - Returns: A closure that ends the period and must be called before the job resumes.
    func suspend() -> (@Sendable () -> Void)? {
        guard !isActive else { return nil }
        let number = begun.add(1, ordering: .acquiringAndReleasing).newValue
        return { self.ended.store(number, ordering: .releasing) }
    }

    /// Returns whether the job has stayed suspended since now, or nil if it is not suspended.
    var whileHeld: (@Sendable () -> Bool)? {
        guard isActive else { return nil }
        let number = begun.load(ordering: .acquiring)
        return { self.ended.load(ordering: .acquiring) < number }
    }
}
