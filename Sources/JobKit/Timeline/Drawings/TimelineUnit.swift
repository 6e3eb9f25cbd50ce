/// The unit in which a whole timeline is written, so that its numbers can be compared.
enum TimelineUnit: String {
    case nanoseconds = "ns"
    case microseconds = "µs"
    case milliseconds = "ms"
    case seconds = "s"

    /// The largest unit that still tells a thousandth of the span.
    init(span: Duration) {
        switch span {
        case ..<Duration.milliseconds(1): self = .nanoseconds
        case ..<Duration.seconds(1): self = .microseconds
        case ..<Duration.seconds(1_000): self = .milliseconds
        default: self = .seconds
        }
    }

    /// How long one of the unit is.
    var length: Duration {
        switch self {
        case .nanoseconds: .nanoseconds(1)
        case .microseconds: .microseconds(1)
        case .milliseconds: .milliseconds(1)
        case .seconds: .seconds(1)
        }
    }

    /// The duration in whole units, rounded down, so that order and nesting are kept.
    func whole(_ duration: Duration) -> Int64 {
        duration.nanoseconds / length.nanoseconds
    }

    /// The duration in the largest unit of which it holds one, to about three digits.
    static func shortText(_ duration: Duration) -> String {
        let seconds = duration / .seconds(1)
        switch seconds {
        case ..<0.000_001: return "\(duration.nanoseconds) ns"
        case ..<0.000_999_5: return threeDigits(seconds * 1e6) + " µs"
        case ..<0.999_5: return threeDigits(seconds * 1e3) + " ms"
        case ..<119.5: return threeDigits(seconds) + " s"
        default: break
        }
        let whole = Int64(seconds.rounded())
        let (hours, minutes) = (whole / 3_600, whole % 3_600 / 60)
        return hours > 0 ? "\(hours) h \(minutes) min" : "\(minutes) min \(whole % 60) s"
    }

    private static func threeDigits(_ value: Double) -> String {
        value.text(decimals: value < 9.995 ? 2 : value < 99.95 ? 1 : 0)
    }
}

extension Duration {
    /// In whole nanoseconds, rounded down; for up to 292 years.
    var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}

extension Double {
    /// Decimal text without an exponent and without needless zeros.
    func text(decimals: Int) -> String {
        let scale = [1, 10, 100, 1_000][decimals]
        let rounded = Int((self * Double(scale)).rounded())
        let (whole, fraction) = (rounded.magnitude / UInt(scale), rounded.magnitude % UInt(scale))
        let sign = rounded < 0 ? "-" : ""
        guard fraction > 0 else { return "\(sign)\(whole)" }
        var digits = String(String(UInt(scale) + fraction).dropFirst())
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(sign)\(whole).\(digits)"
    }
}
