import Foundation

/// Places positive values along an axis on which each decade is equally long.
struct LogarithmicScale: Sendable {
    /// The decades that the axis spans, as powers of ten.
    let decades: ClosedRange<Int>
    /// Where the first decade begins, in the drawing's units.
    let start: Double
    /// Where the last decade ends.
    let end: Double

    /// An axis of whole decades around the values, at least one.
    init(around values: [Double], from start: Double, to end: Double) {
        let exponents = values.map { log10($0) }
        let lower = Int((exponents.min() ?? 0).rounded(.down))
        let upper = Int((exponents.max() ?? 1).rounded(.up))
        decades = lower...max(upper, lower + 1)
        (self.start, self.end) = (start, end)
    }

    /// Where a value lies.
    func position(of value: Double) -> Double {
        let share =
            (log10(value) - Double(decades.lowerBound)) / Double(decades.count - 1)
        return start + (end - start) * share
    }

    /// The value at the end of each decade.
    var ticks: [Double] { decades.map { pow(10, Double($0)) } }
}
