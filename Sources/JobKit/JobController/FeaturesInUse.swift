import Synchronization

/// Flags for features that most jobs do not use: read for every task, without the job's lock.
///
/// Sequentially consistent: a job begins to count its groups and then asks its tasks whether they
/// have finished; a task finishes and then reads whether it counts. At least one of the two sees
/// the other.
struct FeaturesInUse: ~Copyable, Sendable {
    struct Feature: OptionSet {
        let rawValue: UInt8

        /// The job, or one above it, has observers.
        static let observed = Feature(rawValue: 1 << 0)
        /// The progress of the job, or of one above it, was asked for.
        static let progress = Feature(rawValue: 1 << 1)
        /// The job, or one above it, has a context.
        static let context = Feature(rawValue: 1 << 2)
        /// A finish has to give back a place of its group.
        static let groupWidths = Feature(rawValue: 1 << 3)
        /// Some task of the job says itself how much of its work is done: a nested job, or one that
        /// calls `reportProgress`.
        static let ownFractions = Feature(rawValue: 1 << 4)
    }

    private let bits = Atomic<UInt8>(0)

    @inline(__always)
    func contains(_ feature: Feature) -> Bool {
        Feature(rawValue: bits.load(ordering: .sequentiallyConsistent)).contains(feature)
    }

    /// Returns whether the feature is new.
    @discardableResult
    func insert(_ feature: Feature) -> Bool {
        let before = bits.bitwiseOr(feature.rawValue, ordering: .sequentiallyConsistent).oldValue
        return !Feature(rawValue: before).contains(feature)
    }
}
