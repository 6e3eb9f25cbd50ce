import Foundation

/// One measured number and what is promised of it.
struct Figure: Sendable {
    /// How a number stands to its bound.
    enum Bound: Sendable {
        case atMost(Double)
        case atLeast(Double)
    }

    /// What was measured, in the words of the promise.
    let name: String
    let value: Double
    let unit: String
    let bound: Bound
    /// The numbers that it was made of.
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

    /// The first lines of a table of Markdown.
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

    /// A number with two places below ten, none above a hundred.
    static func text(_ value: Double) -> String {
        let places = abs(value) < 10 ? 2 : abs(value) < 100 ? 1 : 0
        return String(format: "%.\(places)f", value)
    }
}

extension [Double] {
    /// The value in the middle.
    var median: Double { quantile(0.5) }

    /// The least value that a share of all does not exceed.
    func quantile(_ share: Double) -> Double {
        precondition(!isEmpty, "Nothing was measured")
        let place = Int((Double(count) * share).rounded(.up)) - 1
        return sorted()[Swift.max(0, Swift.min(place, count - 1))]
    }
}
