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
    public func mermaid() -> String {
        let unit = TimelineUnit(span: span)
        var lines = [
            "gantt",
            "    dateFormat x",
            "    axisFormat %Q \(unit.rawValue)",
            "    tickInterval \(tickInterval(in: unit))millisecond",
        ]
        if omittedCount > 0 { lines.append("    title \(omittedCount) more were not recorded") }
        let tasks = tasksOfJobs
        let ownTimes = longTimesAfterTasks
        forEachInTree { place, _ in
            guard entries[place].parent == nil || !tasks[place].isEmpty else { return }
            let name = entries[place].name.mermaidText
            let ownTime = ownTimes[place]
                .map {
                    ", \(TimelineUnit.shortText($0)) after its last task"
                }
            lines.append("    section \(name)\(ownTime ?? "")")
            lines.append(line(of: place, in: unit))
            for group in groups(of: tasks[place].filter { tasks[$0].isEmpty }) {
                lines.append("    section \(name) - \(facts(of: group))")
                for task in group { lines.append(line(of: task, in: unit)) }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The tasks of each group, the one that began first first.
    private func groups(of tasks: [Int]) -> [[Int]] {
        var order: [String] = []
        var members: [String: [Int]] = [:]
        for task in tasks {
            let name = entries[task].groupName
            if members[name] == nil { order.append(name) }
            members[name, default: []].append(task)
        }
        return order.compactMap { members[$0] }
    }

    private func facts(of group: [Int]) -> String {
        let duration = group.reduce(.zero) { $0 + entries[$1].end - entries[$1].start }
        let name = group.first.map { entries[$0].groupName } ?? ""
        let sum = Group(name: name, taskCount: group.count, duration: duration)
        return "\(name.mermaidText) (\(sum.facts))"
    }

    private func line(of place: Int, in unit: TimelineUnit) -> String {
        let entry = entries[place]
        let start = unit.whole(entry.start)
        let end = unit.whole(entry.end)
        return "    \(entry.name.mermaidText) :\(entry.mermaidTag)t\(place), \(start), \(end)"
    }

    /// A tenth of the span or a little more, of the form 1, 2 or 5 times a power of ten.
    private func tickInterval(in unit: TimelineUnit) -> Int64 {
        let least = max(unit.whole(span) / 10, 1)
        var power: Int64 = 1
        while power * 10 <= least { power *= 10 }
        return [1, 2, 5, 10].map { $0 * power }.first { $0 >= least } ?? least
    }
}

extension Timeline.Entry {
    fileprivate var mermaidTag: String {
        switch outcome {
        case nil: "active, "
        case .succeeded: ""
        case .failed: "crit, "
        case .cancelled: "done, "
        }
    }
}

extension String {
    /// Words that Mermaid reads as a command where a line begins with them.
    private static let mermaidCommands = [
        "acc", "axisformat", "call", "click", "dateformat", "excludes", "gantt", "href", "includes",
        "inclusive", "section", "tickinterval", "title", "todaymarker", "topaxis", "week",
    ]

    /// The name so that Mermaid reads it as text and shows it as it is.
    fileprivate var mermaidText: String {
        let line = TimelineName.oneLine(self)
        let lowercase = line.lowercased()
        let beginsWithCommand =
            Self.mermaidCommands.contains { lowercase.hasPrefix($0) }
            || line.first?.isNumber == true
        var text = ""
        let last = line.unicodeScalars.count - 1
        for (index, scalar) in line.unicodeScalars.enumerated() {
            let isEdge = index == 0 || index == last
            if scalar.isPlainInMermaid && !(isEdge && scalar == " ")
                && !(index == 0 && beginsWithCommand)
            {
                text.unicodeScalars.append(scalar)
            } else {
                text += "#\(scalar.value);"
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    fileprivate var isPlainInMermaid: Bool {
        guard isASCII else { return true }
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", " ", "-", "_", ".", "(", ")", "/", "+", ",", "=":
            return true
        default:
            return false
        }
    }
}
