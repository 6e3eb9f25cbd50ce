extension Timeline {
    /// Computes how long each job continued after its last task had finished.
    static func addTimesAfterTasks(to entries: inout [Entry]) {
        var lastEnds: [Duration?] = Array(repeating: nil, count: entries.count)
        for entry in entries {
            guard let job = entry.parent, entry.end <= entries[job].end else { continue }
            lastEnds[job] = max(lastEnds[job] ?? .zero, entry.end)
        }
        for (index, last) in lastEnds.enumerated() where entries[index].outcome != nil {
            entries[index].timeAfterTasks = last.map { entries[index].end - $0 }
        }
    }
}
