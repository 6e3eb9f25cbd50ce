import Foundation

/// A measured number with its bound.
struct Figure: Sendable {
    /// The bound of a number.
    enum Bound: Sendable {
        case atMost(Double)
        case atLeast(Double)
    }

    /// The measured quantity, in the words of the promise.
    let name: String
    let value: Double
    let unit: String
    let bound: Bound
    /// The numbers from which the value was computed.
    let parts: String

    var holds: Bool {
        switch bound {
        case .atMost(let limit): value <= limit
        case .atLeast(let limit): value >= limit
        }
    }

    private var boundText: String {
        switch bound {
        case .atMost(let limit): "≤ \(Self.text(limit)) \(unit)"
        case .atLeast(let limit): "≥ \(Self.text(limit)) \(unit)"
        }
    }

    /// The first lines of a Markdown table.
    static let tableHead =
        row(["figure", "measured", "bound", "", "of"]) + "\n"
        + row(Array(repeating: "---", count: 5))

    /// The figure as a row of the table.
    var tableRow: String {
        Self.row([
            name, "\(Self.text(value)) \(unit)", boundText, holds ? "holds" : "BROKEN", parts,
        ])
    }

    private static func row(_ cells: [String]) -> String {
        "| " + cells.joined(separator: " | ") + " |"
    }

    /// A number with two decimal places below 10, one below 100, and none above.
    static func text(_ value: Double) -> String {
        let places = abs(value) < 10 ? 2 : abs(value) < 100 ? 1 : 0
        return String(format: "%.\(places)f", value)
    }
}

extension [Double] {
    /// The median.
    var median: Double { quantile(0.5) }

    /// The smallest value that is not exceeded by the given share of values.
    func quantile(_ share: Double) -> Double {
        precondition(!isEmpty, "Nothing was measured")
        let place = Int((Double(count) * share).rounded(.up)) - 1
        return sorted()[Swift.max(0, Swift.min(place, count - 1))]
    }
}
