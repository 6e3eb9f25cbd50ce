extension Timeline {
    /// Writes one line for each entry, each job above its tasks.
    ///
    /// ```
    /// *   0.0 ms  812.4 ms  ━━━━━━━━━━━━━━━━━━━━━━━━  Import
    /// *   0.3 ms   13.1 ms  ━                           Download
    ///    13.6 ms  200.0 ms   ━━━━━━                     Resize - cancelled
    /// ```
    ///
    /// From left to right: `*` on the ``criticalPath``, the start, the duration, a bar over the whole
    /// time, and the name, indented below its job, with what became of it unless it succeeded.
    ///
    /// - Returns: As many lines as entries, without a line feed after the last. Control characters in
    ///   names and errors are shown as pictures, a line feed as `␊`.
    public func text() -> String {
        let unit = TimelineTextUnit(span: span)
        let starts = entries.map { unit.text($0.start) }
        let lengths = entries.map { unit.text($0.end - $0.start) }
        let startWidth = starts.lazy.map(\.count).max() ?? 0
        let lengthWidth = lengths.lazy.map(\.count).max() ?? 0
        let critical = Set(criticalPlaces)
        var lines: [String] = []
        lines.reserveCapacity(entries.count)
        forEachInTree { place, depth in
            let entry = entries[place]
            lines.append(
                (critical.contains(place) ? "* " : "  ")
                    + starts[place].leftPadded(to: startWidth) + "  "
                    + lengths[place].leftPadded(to: lengthWidth) + "  "
                    + bar(of: entry) + "  "
                    + String(repeating: "  ", count: min(depth, Self.deepestIndent))
                    + TimelineName.oneLine(entry.name)
                    + entry.remark
            )
        }
        return lines.joined(separator: "\n")
    }

    private static let deepestIndent = 20
    private static let barWidth = 24

    private func bar(of entry: Entry) -> String {
        let columns = Double(Self.barWidth) / max(span / .nanoseconds(1), 1)
        let start = min(Int(entry.start / .nanoseconds(1) * columns), Self.barWidth - 1)
        let end = Int((entry.end / .nanoseconds(1) * columns).rounded(.up))
        let width = min(max(end - start, 1), Self.barWidth - start)
        return String(repeating: " ", count: start) + String(repeating: "━", count: width)
            + String(repeating: " ", count: Self.barWidth - start - width)
    }
}

/// Writes durations in one unit with the same decimals, so that they align.
private struct TimelineTextUnit {
    private let unit: TimelineUnit
    private let decimals: Int

    init(span: Duration) {
        switch span {
        case ..<Duration.milliseconds(1): (unit, decimals) = (.microseconds, 1)
        case ..<Duration.seconds(10): (unit, decimals) = (.milliseconds, 1)
        default: (unit, decimals) = (.seconds, 3)
        }
    }

    func text(_ duration: Duration) -> String {
        let scale: Int64 = decimals == 1 ? 10 : 1_000
        let count = duration.nanoseconds / (unit.length.nanoseconds / scale)
        return "\(count / scale).\(String(scale + count % scale).dropFirst()) \(unit.rawValue)"
    }
}

extension Timeline.Entry {
    /// What became of it, behind its name; empty for a success.
    fileprivate var remark: String {
        switch outcome {
        case nil: " - running"
        case .succeeded: ""
        case .cancelled: " - cancelled"
        case .failed(let error): " - failed: " + TimelineName.oneLine(String(describing: error))
        }
    }
}

extension String {
    fileprivate func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(width - count, 0)) + self
    }
}
