import Synchronization

/// The fraction of its work that an operation has reported as done.
///
/// It never decreases.
struct ReportedFraction: ~Copyable {
    /// 0 before the first report, and afterwards the bit pattern of the fraction plus one.
    ///
    /// Positive floating-point numbers have the same order as their bit patterns.
    private let bits = Atomic<UInt64>(0)

    /// A value from 0 to 1, or nil before the first report.
    var value: Double? {
        let bits = bits.load(ordering: .acquiring)
        return bits == 0 ? nil : Double(bitPattern: bits - 1)
    }

    /// Whether a fraction was reported.
    var isReported: Bool { bits.load(ordering: .acquiring) != 0 }

    /// Reports a fraction, and returns the largest one that was reported so far.
    func raised(to fraction: Double) -> Double {
        _ = advance(to: fraction)
        return value ?? fraction
    }

    /// Reports a fraction from 0 to 1, and returns whether it exceeds all earlier ones.
    func advance(to fraction: Double) -> Bool {
        let new = fraction.bitPattern + 1
        return bits.max(new, ordering: .acquiringAndReleasing).oldValue < new
    }
}
