import Foundation

/// Maps positive values to an axis on which all decades are equally long.
struct LogarithmicScale: Sendable {
    /// The labeled values in ascending order.
    ///
    /// The axis begins and ends with one.
    let ticks: [Double]
    /// The position of the first tick, in the drawing's units.
    let start: Double
    /// The position of the last tick.
    let end: Double

    /// Creates an axis that contains the values and begins and ends with a tick.
    ///
    /// - Parameters:
    ///   - values: The values that the axis must contain, all above zero.
    ///   - steps: The ticks of the decade from 1 to 10, in ascending order from 1.
    ///   - start: The beginning of the axis, in the drawing's units.
    ///   - end: The end of the axis.
    init(around values: [Double], steps: [Double] = [1], from start: Double, to end: Double) {
        let (least, most) = (values.min() ?? 1, values.max() ?? 10)
        let decades = Int(log10(least).rounded(.down))...Int(log10(most).rounded(.up)) + 1
        let all = decades.flatMap { decade in steps.map { $0 * pow(10, Double(decade)) } }
        let first = all.lastIndex { $0 <= least } ?? 0
        let last = all.firstIndex { $0 >= most } ?? all.count - 1
        ticks = Array(all[first...max(last, first + 1)])
        (self.start, self.end) = (start, end)
    }

    /// Returns the position of a value.
    func position(of value: Double) -> Double {
        let (first, last) = (log10(ticks[0]), log10(ticks[ticks.count - 1]))
        return start + (end - start) * (log10(value) - first) / (last - first)
    }
}
