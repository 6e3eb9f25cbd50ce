import Foundation

/// The words of `explainStall` for what stands in several of its lines.
enum StallWords {
    /// How many operations a line names at most.
    static let nameLimit = 10

    /// The first names, joined, and how many more there are.
    ///
    /// - Parameters:
    ///   - operations: All, or at least the first ten.
    ///   - count: How many there are; nil: as many as `operations`.
    ///   - name: What an operation is called.
    /// - Returns: `a, b and 3 more`.
    static func list(
        _ operations: [Operation],
        of count: Int? = nil,
        name: (Operation) -> String = operationLabel
    ) -> String {
        let names = operations.prefix(nameLimit).map(name).joined(separator: ", ")
        let further = max(count ?? 0, operations.count) - min(operations.count, nameLimit)
        return further > 0 ? "\(names) and \(further) more" : names
    }

    /// ` for 3 s` and its like; empty for less than a second.
    static func time(since start: CoarseTime, to now: CoarseTime) -> String {
        let seconds = start.seconds(to: now)
        return switch seconds {
        case 0: ""
        case ..<120: " for \(seconds) s"
        case ..<7_200: " for \(seconds / 60) min"
        default: " for \(seconds / 3_600) h"
        }
    }

    /// A limit in seconds, as people write it: `0.5 s`.
    static func limit(_ limit: Duration) -> String {
        let seconds = Double(limit.components.seconds) + Double(limit.components.attoseconds) / 1e18
        return seconds == seconds.rounded() && abs(seconds) < 1e15
            ? "\(Int(seconds)) s" : "\(seconds) s"
    }
}
