import Foundation

/// The unit in which a whole timeline is written, so that its numbers can be compared.
struct TimelineUnit {
    let symbol: String
    let nanoseconds: Int64

    private static let all = [
        TimelineUnit(symbol: "h", nanoseconds: 3_600_000_000_000),
        TimelineUnit(symbol: "min", nanoseconds: 60_000_000_000),
        TimelineUnit(symbol: "s", nanoseconds: 1_000_000_000),
        TimelineUnit(symbol: "ms", nanoseconds: 1_000_000),
        TimelineUnit(symbol: "µs", nanoseconds: 1_000),
    ]

    /// Returns the largest unit of which a span has at least `count`.
    static func of(_ span: Int64, atLeast count: Int64) -> TimelineUnit {
        all.first { span / $0.nanoseconds >= count } ?? TimelineUnit(symbol: "ns", nanoseconds: 1)
    }

    /// Returns the step of an axis, which is 1, 2 or 5 times a power of ten of the unit.
    ///
    /// The axis has at most `count` steps.
    func step(of span: Int64, count: Int) -> Double {
        let least = Double(span) / Double(nanoseconds) / Double(count)
        guard least > 0 else { return 1 }
        let power = pow(10, log10(least).rounded(.down))
        return [1, 2, 5, 10].map { $0 * power }.first { $0 >= least * (1 - 1e-9) } ?? least
    }
}
