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
        let starts = aligned(entries.map { inOneUnit($0.start) })
        let lengths = aligned(entries.map { inOneUnit($0.end - $0.start) })
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
        let names = groups.map { $0.name.oneLine }
        let width = min(names.map(\.count).max() ?? 0, 40)
        var lines = zip(names, groups)
            .map { name, group in
                name + String(repeating: " ", count: max(width - name.count, 0)) + "  "
                    + group.facts
            }
        if omittedCount > 0 { lines.append("\(omittedCount) more were not recorded") }
        return lines
    }

    /// Returns a time in the unit of the whole text, with a fixed number of decimals.
    private func inOneUnit(_ time: Duration) -> String {
        let (unit, decimals): (TimelineUnit, Int) =
            switch span {
            case ..<Duration.milliseconds(1): (.microseconds, 1)
            case ..<Duration.seconds(10): (.milliseconds, 1)
            default: (.seconds, 3)
            }
        return "\(unit.text(time, decimals: decimals)) \(unit.symbol)"
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
        guard let time = entry.timeAfterTasks, time > .zero, time * 100 >= span else { return "" }
        return " - \(inOneUnit(time)) after its last task"
    }

    private func bar(of entry: Timeline.Entry) -> String {
        let columns = Double(Self.barWidth) / max(span / .nanoseconds(1), 1)
        let start = min(Int(entry.start / .nanoseconds(1) * columns), Self.barWidth - 1)
        let end = Int((entry.end / .nanoseconds(1) * columns).rounded(.up))
        let width = min(max(end - start, 1), Self.barWidth - start)
        return String(repeating: " ", count: start) + String(repeating: "━", count: width)
            + String(repeating: " ", count: Self.barWidth - start - width)
    }
}
