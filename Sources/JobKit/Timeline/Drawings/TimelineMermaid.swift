extension Timeline {
    /// Writes a Mermaid gantt chart with a line for each entry.
    ///
    /// Each group of a job has a section, named after its job and group, with the number of tasks
    /// and their total time. GitHub and many documentation tools draw the chart in a code block
    /// marked `mermaid`. Failed tasks are red, cancelled ones grey, and running ones light blue.
    /// The axis uses one unit, counted from the first event. By default, Mermaid rejects texts
    /// above 50,000 characters, which is several hundred entries. ``svg()`` has no such limit.
    ///
    /// - Returns: The chart's source. Characters that have a meaning in Mermaid, such as `:`, `;`
    ///   and `#`, are written as entities. Control characters are shown as pictures.
    public func mermaid() -> String { TimelineFacts(of: self).mermaid() }
}

extension TimelineFacts {
    /// Mermaid's tags for tasks that have not succeeded.
    private static let tags = ["running": "active, ", "failed": "crit, ", "cancelled": "done, "]

    fileprivate func mermaid() -> String {
        let unit = TimelineUnit.telling(span)
        var lines = [
            "gantt",
            "    dateFormat x",
            "    axisFormat %Q \(unit.symbol)",
            "    tickInterval \(tickInterval(in: unit))millisecond",
        ]
        if omittedCount > 0 { lines.append("    title \(omittedCount) more were not recorded") }
        forEachInTree { index, _ in
            guard entries[index].parent == nil || isJob(index) else { return }
            let name = entries[index].name.mermaidText
            lines.append("    section \(name)")
            lines.append(line(of: index, in: unit))
            for group in groups(of: tasks[index].filter { !isJob($0) }) {
                lines.append("    section \(name) - \(sum(of: group))")
                for task in group { lines.append(line(of: task, in: unit)) }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the tasks of each group, in the order of the groups' first tasks.
    private func groups(of tasks: [Int]) -> [[Int]] {
        Dictionary(grouping: tasks) { entries[$0].groupName }.values.sorted { $0[0] < $1[0] }
    }

    private func sum(of group: [Int]) -> String {
        let sum = Timeline.Group(name: entries[group[0]].groupName, of: group.map { entries[$0] })
        return "\(sum.name.mermaidText) (\(sum.facts))"
    }

    private func line(of index: Int, in unit: TimelineUnit) -> String {
        let entry = entries[index]
        let tag = Self.tags[entry.outcomeWord] ?? ""
        let (start, end) = (unit.whole(entry.start), unit.whole(entry.end))
        return "    \(entry.name.mermaidText) :\(tag)t\(index), \(start), \(end)"
    }

    /// Returns a round interval of at least a tenth of the span.
    private func tickInterval(in unit: TimelineUnit) -> Int64 {
        Int64(TimelineAxis.roundStep(least: Double(max(unit.whole(span) / 10, 1))).rounded())
    }
}
