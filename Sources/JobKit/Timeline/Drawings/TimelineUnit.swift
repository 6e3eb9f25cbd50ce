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
