/// The median of some values, with their spread.
struct Summary: Sendable {
    /// The values, ascending; never empty.
    private let sorted: [Double]

    /// Nil if there is nothing to summarise.
    init?(_ values: [Double]) {
        guard !values.isEmpty else { return nil }
        sorted = values.sorted()
    }

    /// How many values there are.
    var count: Int { sorted.count }
    /// The smallest value.
    var minimum: Double { sorted[0] }
    /// The value that a quarter of the values do not exceed.
    var lowerQuartile: Double { quantile(0.25) }
    /// The middle value.
    var median: Double { quantile(0.5) }
    /// The value that three quarters of the values do not exceed.
    var upperQuartile: Double { quantile(0.75) }
    /// The largest value.
    var maximum: Double { sorted[sorted.count - 1] }

    /// The value at a share of the way from the smallest to the largest, between two neighbours
    /// linearly.
    func quantile(_ share: Double) -> Double {
        let position = share * Double(sorted.count - 1)
        let below = Int(position)
        let above = min(below + 1, sorted.count - 1)
        return sorted[below] + (sorted[above] - sorted[below]) * (position - Double(below))
    }
}
