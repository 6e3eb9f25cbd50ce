import Foundation

/// Chooses the ticks of a time axis, which are round numbers at readable distances.
struct TimelineAxis {
    struct Tick: Equatable {
        let time: Duration
        let label: String
    }

    let ticks: [Tick]

    /// Divides a span of time.
    ///
    /// - Parameters:
    ///   - span: The length of the axis, which begins at zero.
    ///   - count: The maximum number of ticks, not counting the one at zero.
    init(span: Duration, count: Int) {
        let seconds = span / .seconds(1)
        guard seconds > 0, count > 0 else {
            ticks = [Tick(time: .zero, label: "0")]
            return
        }
        let step = Self.step(least: seconds / Double(count))
        let number = Int((seconds / step * (1 + 1e-9)).rounded(.down))
        ticks = (0...number)
            .map { index in
                let time = Double(index) * step
                return Tick(time: .seconds(time), label: Self.label(time, span: seconds))
            }
    }

    private static func step(least: Double) -> Double {
        if least > 10 {
            let clock = [
                15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400,
            ]
            if let step = clock.first(where: { Double($0) >= least }) { return Double(step) }
            return 86_400 * (least / 86_400).rounded(.up)
        }
        return roundStep(least: least)
    }

    /// Returns the next number of the form 1, 2 or 5 times a power of ten.
    static func roundStep(least: Double) -> Double {
        let power = pow(10, log10(least).rounded(.down))
        return [1, 2, 5, 10].map { $0 * power }.first { $0 >= least * (1 - 1e-9) } ?? least
    }

    private static func label(_ time: Double, span: Double) -> String {
        guard time > 0 else { return "0" }
        switch span {
        case ..<1e-6: return (time * 1e9).text(decimals: 0) + " ns"
        case ..<1e-3: return (time * 1e6).text(decimals: 3) + " µs"
        case ..<1: return (time * 1e3).text(decimals: 3) + " ms"
        case ..<120: return time.text(decimals: 3) + " s"
        default: break
        }
        let whole = Int(time.rounded())
        let (hours, minutes) = (whole / 3_600, whole / 60 % 60)
        if span >= 36_000 { return "\(hours) h" + (minutes > 0 ? " \(minutes) min" : "") }
        if whole % 60 == 0 { return "\(whole / 60) min" }
        return (whole >= 60 ? "\(whole / 60) min " : "") + "\(whole % 60) s"
    }
}
