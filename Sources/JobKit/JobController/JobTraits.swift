import Synchronization

/// Flags for features that most jobs do not use: read for every task, without the job's lock.
///
/// Sequentially consistent: a job begins to count its groups and then asks its tasks whether they
/// have finished; a task finishes and then reads whether it counts. At least one of the two sees
/// the other.
struct JobTraits: ~Copyable, Sendable {
    struct Trait: OptionSet {
        let rawValue: UInt8

        /// The job, or one above it, has observers.
        static let observed = Trait(rawValue: 1 << 0)
        /// The progress of the job, or of one above it, was asked for.
        static let progress = Trait(rawValue: 1 << 1)
        /// The job, or one above it, has a context.
        static let context = Trait(rawValue: 1 << 2)
        /// A finish has to give back a place of its group.
        static let groupWidths = Trait(rawValue: 1 << 3)
        /// Some task of the job says itself how much of its work is done: a nested job, or one that
        /// calls `reportProgress`.
        static let ownFractions = Trait(rawValue: 1 << 4)
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
