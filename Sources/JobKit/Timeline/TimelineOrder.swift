extension Timeline {
    /// Sorts recorded entries and gives each its lane.
    ///
    /// - Parameters:
    ///   - recorded: The entries in any order. Their parents and predecessors are indices of this
    ///     list, and no entry is its own ancestor.
    ///   - omittedCount: The number of further operations.
    init(_ recorded: [Entry], omittedCount: Int = 0) {
        var recorded = recorded
        let depths = Self.depths(of: recorded.map(\.parent))
        let jobsFirst = recorded.indices.sorted { depths[$0] < depths[$1] }
        for index in jobsFirst {
            guard let job = recorded[index].parent, recorded[index].outcomeText == nil else {
                continue
            }
            // If the job did not wait for it, nothing is recorded of it after the job's end.
            recorded[index].endTime = min(recorded[index].endTime, recorded[job].endTime)
        }
        // A job starts no later than its first task, so that it can be drawn above its tasks.
        for index in jobsFirst.reversed() {
            guard let job = recorded[index].parent else { continue }
            recorded[job].startTime = min(recorded[job].startTime, recorded[index].startTime)
        }
        let order = recorded.indices.sorted { left, right in
            (recorded[left].startTime, depths[left], left)
                < (recorded[right].startTime, depths[right], right)
        }
        var newIndices = Array(repeating: 0, count: order.count)
        for (newIndex, index) in order.enumerated() { newIndices[index] = newIndex }
        entries = order.map { index in
            var entry = recorded[index]
            entry.endTime = max(entry.startTime, entry.endTime)
            entry.parent = entry.parent.map { newIndices[$0] }
            entry.predecessors = entry.predecessors.map { newIndices[$0] }
            return entry
        }
        self.omittedCount = omittedCount
        addLanes()
        addTimesAfterTasks()
    }

    /// Returns the number of each entry's ancestors.
    ///
    /// It uses no recursion, because jobs may be nested ten thousand levels deep.
    static func depths(of parents: [Int?]) -> [Int] {
        var depths = Array(repeating: -1, count: parents.count)
        for index in parents.indices where depths[index] < 0 {
            var chain = [index]
            while let parent = parents[chain[chain.count - 1]], depths[parent] < 0 {
                chain.append(parent)
            }
            for member in chain.reversed() {
                depths[member] = parents[member].map { depths[$0] + 1 } ?? 0
            }
        }
        return depths
    }

    /// Gives each entry the lowest lane that is free at its start.
    private mutating func addLanes() {
        var freeLanes = MinHeap<Int>()
        var laneCount = 0
        // An entry without a length occupies no lane.
        var ending =
            entries.indices.filter { entries[$0].startTime < entries[$0].endTime }
            .sorted { entries[$0].endTime < entries[$1].endTime }[...]
        for index in entries.indices {
            while let next = ending.first, entries[next].endTime <= entries[index].startTime {
                freeLanes.insert(entries[next].lane)
                ending.removeFirst()
            }
            let lane = freeLanes.popFirst() ?? laneCount
            laneCount = max(laneCount, lane + 1)
            entries[index].lane = lane
            if entries[index].startTime == entries[index].endTime { freeLanes.insert(lane) }
        }
    }

    /// Computes how long each job continued after its last task had finished.
    mutating func addTimesAfterTasks() {
        var lastEnds: [Duration?] = Array(repeating: nil, count: entries.count)
        for entry in entries {
            guard let job = entry.parent, entry.end <= entries[job].end else { continue }
            lastEnds[job] = max(lastEnds[job] ?? .zero, entry.end)
        }
        for (index, last) in lastEnds.enumerated() where entries[index].outcomeText != nil {
            entries[index].timeAfterTasks = last.map { entries[index].end - $0 }
        }
    }
}
