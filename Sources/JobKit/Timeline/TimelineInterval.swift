extension Timeline {
    /// One operation as it was recorded, before it has an index and a lane.
    struct Interval {
        let name: String
        let typeName: String
        var group: String?
        var outcome: OperationOutcome?
        /// Its job, as an index among the recorded intervals.
        var parent: Int?
        let start: Duration
        var end: Duration
        /// Those that had to finish before this could start, as indices among the recorded
        /// intervals.
        var predecessors: [Int] = []
    }

    /// Puts recorded intervals in order and gives each its lane.
    ///
    /// - Parameters:
    ///   - intervals: In any order; no interval is its own ancestor.
    ///   - omittedCount: How many operations more there were.
    init(_ intervals: [Interval], omittedCount: Int = 0) {
        let depths = Self.depths(of: intervals.map(\.parent))
        let order = intervals.indices.sorted { left, right in
            (intervals[left].start, depths[left], left)
                < (intervals[right].start, depths[right], right)
        }
        var newIndices = Array(repeating: 0, count: order.count)
        for (newIndex, index) in order.enumerated() { newIndices[index] = newIndex }
        let sorted = order.map { index in
            var interval = intervals[index]
            interval.end = max(interval.start, interval.end)
            interval.parent = interval.parent.map { newIndices[$0] }
            interval.predecessors = interval.predecessors.map { newIndices[$0] }
            return interval
        }
        let lanes = TimelineLanes(of: sorted).lanes
        entries = zip(sorted, lanes)
            .map { interval, lane in
                Entry(
                    name: interval.name,
                    typeName: interval.typeName,
                    group: interval.group,
                    outcome: interval.outcome,
                    parent: interval.parent,
                    lane: lane,
                    start: interval.start,
                    end: interval.end
                )
            }
        predecessors = sorted.map(\.predecessors)
        self.omittedCount = omittedCount
        span = entries.map(\.end).max() ?? .zero
        laneCount = (lanes.max() ?? -1) + 1
    }

    /// How many ancestors each has, found without recursion: jobs may nest ten thousand deep.
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
