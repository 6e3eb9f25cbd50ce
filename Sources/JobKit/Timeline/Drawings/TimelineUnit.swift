/// The unit in which a whole timeline is written, so that its numbers can be compared.
struct TimelineUnit {
    let symbol: String
    /// The length of the unit in nanoseconds.
    private let nanoseconds: Int64

    static let nanoseconds = TimelineUnit(symbol: "ns", nanoseconds: 1)
    static let microseconds = TimelineUnit(symbol: "µs", nanoseconds: 1_000)
    static let milliseconds = TimelineUnit(symbol: "ms", nanoseconds: 1_000_000)
    static let seconds = TimelineUnit(symbol: "s", nanoseconds: 1_000_000_000)

    /// Returns the largest unit that shows a thousandth of the span.
    static func telling(_ span: Duration) -> TimelineUnit {
        switch span {
        case ..<Duration.milliseconds(1): .nanoseconds
        case ..<Duration.seconds(1): .microseconds
        case ..<Duration.seconds(1_000): .milliseconds
        default: .seconds
        }
    }

    /// Returns the duration in whole units, rounded down so that order and nesting are kept.
    func whole(_ duration: Duration) -> Int64 { duration.nanoseconds / nanoseconds }

    /// Returns the duration with exactly one or three decimals.
    ///
    /// It uses integers, because a floating-point number would lose nanoseconds after a few days.
    func text(_ duration: Duration, decimals: Int) -> String {
        let scale: Int64 = decimals == 1 ? 10 : 1_000
        let count = duration.nanoseconds / (nanoseconds / scale)
        return "\(count / scale).\(String(scale + count % scale).dropFirst())"
    }
}

extension Duration {
    /// The duration to about three digits, in the largest unit in which it is at least 1.
    var shortText: String {
        let seconds = self / .seconds(1)
        switch seconds {
        case ..<0.000_001: return "\(nanoseconds) ns"
        case ..<0.000_999_5: return threeDigits(seconds * 1e6) + " µs"
        case ..<0.999_5: return threeDigits(seconds * 1e3) + " ms"
        case ..<119.5: return threeDigits(seconds) + " s"
        default: break
        }
        let whole = Int64(seconds.rounded())
        let (hours, minutes) = (whole / 3_600, whole % 3_600 / 60)
        return hours > 0 ? "\(hours) h \(minutes) min" : "\(minutes) min \(whole % 60) s"
    }

    private func threeDigits(_ value: Double) -> String {
        value.text(decimals: value < 9.995 ? 2 : value < 99.95 ? 1 : 0)
    }

    /// The duration in whole nanoseconds, rounded down, up to 292 years.
    var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}

extension Double {
    /// Returns decimal text without an exponent and without unnecessary zeros.
    func text(decimals: Int) -> String {
        let scale = [1.0, 10, 100, 1_000][decimals]
        // Zero is added because the rounded number may be negative zero.
        let text = "\(((self * scale).rounded() + 0) / scale)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
