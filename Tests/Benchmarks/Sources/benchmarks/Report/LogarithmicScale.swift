import Foundation

/// Places positive values along an axis on which each decade is equally long.
struct LogarithmicScale: Sendable {
    /// The values that the axis shows, ascending; the axis begins and ends with one.
    let ticks: [Double]
    /// Where the first tick lies, in the drawing's units.
    let start: Double
    /// Where the last tick lies.
    let end: Double

    /// An axis around the values, from a tick to another.
    ///
    /// - Parameters:
    ///   - values: What must have a place, all above zero.
    ///   - steps: The ticks of the decade from 1 to 10, ascending from 1.
    ///   - start: Where the axis begins, in the drawing's units.
    ///   - end: Where the axis ends.
    init(around values: [Double], steps: [Double] = [1], from start: Double, to end: Double) {
        let (least, most) = (values.min() ?? 1, values.max() ?? 10)
        let decades = Int(log10(least).rounded(.down))...Int(log10(most).rounded(.up)) + 1
        let all = decades.flatMap { decade in steps.map { $0 * pow(10, Double(decade)) } }
        let first = all.lastIndex { $0 <= least } ?? 0
        let last = all.firstIndex { $0 >= most } ?? all.count - 1
        ticks = Array(all[first...max(last, first + 1)])
        (self.start, self.end) = (start, end)
    }

    /// Where a value lies.
    func position(of value: Double) -> Double {
        let (first, last) = (log10(ticks[0]), log10(ticks[ticks.count - 1]))
        return start + (end - start) * (log10(value) - first) / (last - first)
    }
}
