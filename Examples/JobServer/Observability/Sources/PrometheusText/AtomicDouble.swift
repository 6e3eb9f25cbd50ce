import Synchronization

/// A floating-point number to which several threads can add.
struct AtomicDouble: ~Copyable, Sendable {
    private let bits = Atomic<UInt64>(0)

    /// The current number.
    var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    /// Replaces the number.
    func set(_ value: Double) {
        bits.store(value.bitPattern, ordering: .relaxed)
    }

    /// Adds to the number.
    func add(_ amount: Double) {
        var known = bits.load(ordering: .relaxed)
        while true {
            let sum = (Double(bitPattern: known) + amount).bitPattern
            let (exchanged, original) = bits.weakCompareExchange(
                expected: known,
                desired: sum,
                ordering: .relaxed
            )
            if exchanged { return }
            known = original
        }
    }
}

extension Double {
    /// The number in the text format: integers without a fraction, `+Inf` and `NaN`.
    var metricText: String {
        if isNaN { return "NaN" }
        if isInfinite { return self > 0 ? "+Inf" : "-Inf" }
        return Int64(exactly: self).map { String($0) } ?? description
    }
}
