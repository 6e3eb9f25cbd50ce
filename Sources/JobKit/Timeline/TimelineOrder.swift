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
        // A job starts no later than its first task, so that it can be drawn around its tasks.
        for index in recorded.indices.sorted(by: { depths[$0] > depths[$1] }) {
            guard let job = recorded[index].parent else { continue }
            recorded[job].start = min(recorded[job].start, recorded[index].start)
        }
        let order = recorded.indices.sorted { left, right in
            (recorded[left].start, depths[left], left)
                < (recorded[right].start, depths[right], right)
        }
        var newIndices = Array(repeating: 0, count: order.count)
        for (newIndex, index) in order.enumerated() { newIndices[index] = newIndex }
        var entries = order.map { index in
            var entry = recorded[index]
            entry.end = max(entry.start, entry.end)
            entry.parent = entry.parent.map { newIndices[$0] }
            entry.predecessors = entry.predecessors.map { newIndices[$0] }
            return entry
        }
        for (index, lane) in TimelineLanes(of: entries).lanes.enumerated() {
            entries[index].lane = lane
        }
        Self.addTimesAfterTasks(to: &entries)
        self.entries = entries
        self.omittedCount = omittedCount
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
}
