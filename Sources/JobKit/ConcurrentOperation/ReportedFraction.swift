import Synchronization

/// How much of an operation's work is done, as the operation has said; grows only.
struct ReportedFraction: ~Copyable {
    /// 0 before anything was said, and else one more than the bit pattern of the fraction: positive
    /// floating-point numbers are in the order of their bit patterns.
    private let bits = Atomic<UInt64>(0)

    /// From 0 to 1; nil before anything was said.
    var value: Double? {
        let bits = bits.load(ordering: .acquiring)
        return bits == 0 ? nil : Double(bitPattern: bits - 1)
    }

    /// Whether anything was said.
    @inline(__always)
    var isSaid: Bool { bits.load(ordering: .acquiring) != 0 }

    /// What was said at most, this fraction included.
    func raised(to fraction: Double) -> Double {
        _ = advance(to: fraction)
        return value ?? fraction
    }

    /// Returns whether the fraction, from 0 to 1, is more than what was said before.
    func advance(to fraction: Double) -> Bool {
        let new = fraction.bitPattern + 1
        return bits.max(new, ordering: .acquiringAndReleasing).oldValue < new
    }
}
