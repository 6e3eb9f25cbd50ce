extension Timeline {
    /// Writes a Mermaid gantt chart with a line for each entry.
    ///
    /// Each job has a section with its tasks. GitHub and many documentation tools draw the chart in
    /// a code block marked `mermaid`. Failed tasks are red, cancelled ones grey, and running ones
    /// light blue. The axis uses one unit, counted from the first event. By default, Mermaid
    /// rejects texts above 50,000 characters, which is several hundred entries. ``svg()`` has no
    /// such limit.
    ///
    /// - Returns: The chart's source. Characters that have a meaning in Mermaid, such as `:`, `;`
    ///   and `#`, are written as entities. Control characters are shown as pictures.
    public func mermaid() -> String { TimelineFacts(of: self).mermaid() }
}

extension TimelineFacts {
    /// Mermaid's tags for tasks that have not succeeded.
    private static let tags = ["running": "active, ", "failed": "crit, ", "cancelled": "done, "]

    fileprivate func mermaid() -> String {
        // A thousandth of the time is visible.
        let unit = TimelineUnit.of(span, atLeast: 1_000)
        var lines = [
            "gantt",
            "    dateFormat x",
            "    axisFormat %Q \(unit.symbol)",
            "    tickInterval \(max(1, Int(unit.step(of: span, count: 10))))millisecond",
        ]
        if omittedCount > 0 { lines.append("    title \(omittedCount) more were not recorded") }
        forEachInTree { index, _ in
            guard entries[index].parent == nil || isJob(index) else { return }
            lines.append("    section \(entries[index].name.mermaidText)")
            lines.append(line(of: index, in: unit))
            for task in tasks[index] where !isJob(task) { lines.append(line(of: task, in: unit)) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func line(of index: Int, in unit: TimelineUnit) -> String {
        let entry = entries[index]
        let tag = Self.tags[entry.outcomeWord] ?? ""
        // Rounded down, so that order and nesting are kept.
        let (start, end) = (entry.startTime / unit.nanoseconds, entry.endTime / unit.nanoseconds)
        return "    \(entry.name.mermaidText) :\(tag)t\(index), \(start), \(end)"
    }
}
