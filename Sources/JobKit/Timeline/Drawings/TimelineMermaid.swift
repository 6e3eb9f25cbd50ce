extension Timeline {
    /// Writes a Mermaid gantt chart, with a line for each entry and a section for each group of a
    /// job.
    ///
    /// GitHub and many documentation tools draw it inside a code block marked `mermaid`. Failed
    /// tasks are red, cancelled ones grey, running ones light blue. The name of a section has its
    /// job and group, the number of tasks and their total time. The axis uses one unit, counted
    /// from the first event. By default, Mermaid refuses texts above 50,000 characters, which is
    /// several hundred entries; ``svg()`` has no such limit.
    ///
    /// - Returns: The chart's source. Characters with a meaning in Mermaid, such as `:`, `;` and
    ///   `#`, are written as entities; control characters are shown as pictures.
    public func mermaid() -> String { TimelineFacts(of: self).mermaid() }
}

extension TimelineFacts {
    /// How Mermaid marks what has not succeeded.
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
            let ownTime = ownTimes[index].map { ", \($0.shortText) after its last task" }
            lines.append("    section \(name)\(ownTime ?? "")")
            lines.append(line(of: index, in: unit))
            for group in groups(of: tasks[index].filter { !isJob($0) }) {
                lines.append("    section \(name) - \(sum(of: group))")
                for task in group { lines.append(line(of: task, in: unit)) }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The tasks of each group, the one that began first first.
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

    /// A tenth of the span or a little more.
    private func tickInterval(in unit: TimelineUnit) -> Int64 {
        Int64(TimelineAxis.roundStep(least: Double(max(unit.whole(span) / 10, 1))).rounded())
    }
}
