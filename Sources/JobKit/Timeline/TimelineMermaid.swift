extension Timeline {
    /// Writes a Mermaid gantt chart, a line for each entry and a section for each job.
    ///
    /// GitHub and many documentation tools draw it inside a code block marked `mermaid`. What failed
    /// is red, what was cancelled grey, what still runs light blue. The axis counts in one unit from the
    /// first event. Mermaid refuses texts above 50,000 characters unless it is told otherwise, which
    /// is several hundred entries; ``svg()`` has no such bound.
    ///
    /// - Returns: The chart's source. Characters with a meaning in Mermaid, such as `:`, `;` and `#`,
    ///   are written as entities; control characters are shown as pictures.
    public func mermaid() -> String {
        let unit = TimelineUnit(span: span)
        var lines = [
            "gantt",
            "    dateFormat x",
            "    axisFormat %Q \(unit.rawValue)",
            "    tickInterval \(tickInterval(in: unit))millisecond",
        ]
        let tasks = tasksOfJobs
        forEachInTree { place, _ in
            guard entries[place].parent == nil || !tasks[place].isEmpty else { return }
            lines.append("    section \(entries[place].name.mermaidText)")
            lines.append(line(of: place, in: unit))
            for task in tasks[place] where tasks[task].isEmpty {
                lines.append(line(of: task, in: unit))
            }
        }
        return lines.joined(separator: "\n") + "\n"
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
