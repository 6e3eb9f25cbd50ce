import Synchronization

/// What a job uses of what most jobs do not: read on every task's way, without the job's lock.
///
/// Sequentially consistent: a job begins to count its groups and then asks its tasks whether they
/// have finished; a task finishes and then reads whether it counts. At least one of the two sees
/// the other.
struct JobTraits: ~Copyable, Sendable {
    struct Trait: OptionSet {
        let rawValue: UInt8

        /// The job, or one above it, has observers.
        static let observed = Trait(rawValue: 1 << 0)
        /// Somebody asked for the progress of the job, or of one above it.
        static let progress = Trait(rawValue: 1 << 1)
        /// The job, or one above it, has a context.
        static let context = Trait(rawValue: 1 << 2)
        /// A finish has to give back a place of its group.
        static let groupWidths = Trait(rawValue: 1 << 3)
    }

    private let bits = Atomic<UInt8>(0)

    @inline(__always)
    func contains(_ trait: Trait) -> Bool {
        Trait(rawValue: bits.load(ordering: .sequentiallyConsistent)).contains(trait)
    }

    /// Returns whether the trait is new.
    @discardableResult
    func insert(_ trait: Trait) -> Bool {
        let before = bits.bitwiseOr(trait.rawValue, ordering: .sequentiallyConsistent).oldValue
        return !Trait(rawValue: before).contains(trait)
    }
}
