import Foundation

/// Formats numbers independently of the locale.
enum NumberText {
    /// Formats a number with `places` decimals and a point.
    static func fixed(_ value: Double, places: Int) -> String {
        String(format: "%.\(places)f", value)
    }

    /// Formats a whole number with a comma after each group of three digits.
    static func grouped(_ value: Double) -> String {
        let digits = fixed(value.magnitude, places: 0)
        let first = digits.count % 3
        var groups = stride(from: first, to: digits.count, by: 3)
            .map { offset in
                String(digits.dropFirst(offset).prefix(3))
            }
        if first > 0 { groups.insert(String(digits.prefix(first)), at: 0) }
        return (value <= -0.5 ? "-" : "") + groups.joined(separator: ",")
    }

    /// Formats a whole number with a comma after each group of three digits.
    static func grouped(_ value: Int) -> String { grouped(Double(value)) }
}
