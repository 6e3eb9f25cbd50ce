import Foundation

/// Chooses the ticks of a time axis, which are round numbers of one unit.
struct TimelineAxis {
    private(set) var ticks: [(time: Duration, label: String)] = [(.zero, "0")]

    /// Divides a span of time.
    ///
    /// - Parameters:
    ///   - span: The length of the axis, which begins at zero.
    ///   - count: The maximum number of ticks, not counting the one at zero.
    init(span: Duration, count: Int) {
        guard span > .zero, count > 0 else { return }
        let (unit, symbol) = Self.unit(of: span)
        let step = Self.roundStep(least: span / unit / Double(count))
        let number = Int((span / unit / step * (1 + 1e-9)).rounded(.down))
        for index in 0..<number {
            let value = Double(index + 1) * step
            ticks.append((unit * value, "\(value.text(decimals: 3)) \(symbol)"))
        }
    }

    /// Returns the next number of the form 1, 2 or 5 times a power of ten.
    static func roundStep(least: Double) -> Double {
        let power = pow(10, log10(least).rounded(.down))
        return [1, 2, 5, 10].map { $0 * power }.first { $0 >= least * (1 - 1e-9) } ?? least
    }

    private static func unit(of span: Duration) -> (unit: Duration, symbol: String) {
        switch span {
        case ..<Duration.microseconds(1): (.nanoseconds(1), "ns")
        case ..<Duration.milliseconds(1): (.microseconds(1), "µs")
        case ..<Duration.seconds(1): (.milliseconds(1), "ms")
        case ..<Duration.seconds(600): (.seconds(1), "s")
        case ..<Duration.seconds(18_000): (.seconds(60), "min")
        default: (.seconds(3_600), "h")
        }
    }
}
