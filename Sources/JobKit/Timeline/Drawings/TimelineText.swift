import Foundation

extension Timeline {
    /// Writes one line for each entry, with each job above its tasks.
    ///
    /// ```text
    /// *   0.0 ms  812.4 ms  ━━━━━━━━━━━━━━━━━━━━━━━━  Import
    /// *   0.3 ms   13.1 ms  ━                           Download
    ///    13.6 ms  200.0 ms   ━━━━━━                     Resize - cancelled
    /// ```
    ///
    /// Each line shows, from left to right, `*` if the entry is on the ``criticalPath``, the start,
    /// the duration, a bar over the whole time, and the name, indented below its job. The name is
    /// followed by the group if it is not the type's, by the outcome unless the task succeeded,
    /// and, for a job, by the time that it continued after its last task. The ``groups`` and the
    /// number of unrecorded operations follow at the end.
    ///
    /// - Returns: A line for each entry, an empty line, and a line for each group, without a final
    ///   line feed. Control characters in names and errors are shown as pictures, for example a
    ///   line feed as `␊`.
    public func text() -> String {
        TimelineFacts(of: self).text()
    }
}

extension TimelineFacts {
    private static let deepestIndent = 20
    private static let barWidth = 24

    fileprivate func text() -> String {
        let starts = aligned(entries.map { inOneUnit($0.startTime) })
        let lengths = aligned(entries.map { inOneUnit($0.endTime - $0.startTime) })
        let critical = Set(path)
        var lines: [String] = []
        forEachInTree { index, depth in
            let entry = entries[index]
            lines.append(
                (critical.contains(index) ? "* " : "  ")
                    + "\(starts[index])  \(lengths[index])  \(bar(of: entry))  "
                    + String(repeating: "  ", count: min(depth, Self.deepestIndent))
                    + entry.name.oneLine
                    + (entry.givenGroup.map { " [\($0.oneLine)]" } ?? "")
                    + remark(about: entry)
                    + ownTime(of: entry)
            )
        }
        let sums = groupLines()
        if !sums.isEmpty { lines += [""] + sums }
        return lines.joined(separator: "\n")
    }

    /// Returns a line for each group, and one for the operations that were not recorded.
    private func groupLines() -> [String] {
        var lines = groups.map { "\($0.name.oneLine): \($0.facts)" }
        if omittedCount > 0 { lines.append("\(omittedCount) more were not recorded") }
        return lines
    }

    /// Returns a time in the unit of the whole text, which is the second at most.
    private func inOneUnit(_ time: Int64) -> String {
        let unit = TimelineUnit.of(min(span, 10_000_000_000), atLeast: 10)
        let format = unit.symbol == "s" ? "%.3f" : "%.1f"
        return String(format: format, Double(time) / Double(unit.nanoseconds)) + " " + unit.symbol
    }

    /// Returns the texts, padded on the left to the same width.
    private func aligned(_ texts: [String]) -> [String] {
        let width = texts.map(\.count).max() ?? 0
        return texts.map { String(repeating: " ", count: width - $0.count) + $0 }
    }

    /// Returns the outcome that follows an entry's name.
    ///
    /// Empty if the entry succeeded.
    private func remark(about entry: Timeline.Entry) -> String {
        guard entry.outcomeWord != "succeeded" else { return "" }
        let error = entry.errorText.map { ": " + $0.oneLine }
        return " - " + entry.outcomeWord + (error ?? "")
    }

    /// Returns how long a job continued after its last task.
    ///
    /// Empty if it is less than a hundredth of the span, which is not worth showing.
    private func ownTime(of entry: Timeline.Entry) -> String {
        guard let time = entry.timeAfterTasks?.nanoseconds, time > 0, time * 100 >= span else {
            return ""
        }
        return " - \(inOneUnit(time)) after its last task"
    }

    private func bar(of entry: Timeline.Entry) -> String {
        let columns = Double(Self.barWidth) / Double(max(span, 1))
        let start = min(Int(Double(entry.startTime) * columns), Self.barWidth - 1)
        let end = Int((Double(entry.endTime) * columns).rounded(.up))
        let width = min(max(end - start, 1), Self.barWidth - start)
        return String(repeating: " ", count: start) + String(repeating: "━", count: width)
            + String(repeating: " ", count: Self.barWidth - start - width)
    }
}
