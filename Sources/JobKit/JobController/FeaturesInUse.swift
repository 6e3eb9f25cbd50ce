import Synchronization

/// Flags for features that most jobs do not use.
///
/// They are read for every task, without the job's lock.
struct FeaturesInUse: ~Copyable, Sendable {
    struct Feature: OptionSet {
        let rawValue: UInt8

        /// The job or one of its ancestors has observers.
        static let observed = Feature(rawValue: 1 << 0)
        /// The progress of the job or of one of its ancestors was read.
        static let progress = Feature(rawValue: 1 << 1)
        /// The job or one of its ancestors has a context.
        static let context = Feature(rawValue: 1 << 2)
        /// At least one task reports its own fraction: a nested job, or a task that calls
        /// `reportProgress`.
        static let ownFractions = Feature(rawValue: 1 << 3)
    }

    private let bits = Atomic<UInt8>(0)

    @inline(__always)
    func contains(_ feature: Feature) -> Bool {
        Feature(rawValue: bits.load(ordering: .sequentiallyConsistent)).contains(feature)
    }

    /// Sets a flag and returns whether it was not set before.
    @discardableResult
    func insert(_ feature: Feature) -> Bool {
        let before = bits.bitwiseOr(feature.rawValue, ordering: .sequentiallyConsistent).oldValue
        return !Feature(rawValue: before).contains(feature)
    }
}
