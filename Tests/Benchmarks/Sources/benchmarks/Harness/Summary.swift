/// The median and spread of some values.
struct Summary: Sendable {
    /// The values in ascending order, never empty.
    private let sorted: [Double]

    /// Returns nil if there are no values.
    init?(_ values: [Double]) {
        guard !values.isEmpty else { return nil }
        sorted = values.sorted()
    }

    /// The number of values.
    var count: Int { sorted.count }
    /// The smallest value.
    var minimum: Double { sorted[0] }
    /// The first quartile.
    var lowerQuartile: Double { quantile(0.25) }
    /// The middle value.
    var median: Double { quantile(0.5) }
    /// The third quartile.
    var upperQuartile: Double { quantile(0.75) }
    /// The largest value.
    var maximum: Double { sorted[sorted.count - 1] }

    /// Interpolates linearly between the two neighboring values.
    func quantile(_ share: Double) -> Double {
        let position = share * Double(sorted.count - 1)
        let below = Int(position)
        let above = min(below + 1, sorted.count - 1)
        return sorted[below] + (sorted[above] - sorted[below]) * (position - Double(below))
    }
}
