/// Decides in which lane each entry of a timeline is drawn.
///
/// An entry is in its job's lane if nothing else runs there, and otherwise in the lowest free lane.
/// It is never nested in any other entry, because it would look like a task of that entry.
struct TimelineLanes {
    /// The maximum nesting depth of a lane.
    ///
    /// Perfetto drops slices that are nested much deeper.
    static let maximumDepth = 100

    /// The lane of each entry.
    private(set) var lanes: [Int]

    private var freeLanes = MinHeap<Int>()
    /// The entries that run in each lane, outermost first.
    private var stacks: [[Int]] = []

    /// Gives each entry a lane.
    ///
    /// - Parameter entries: The entries by start, each job before its tasks.
    init(of entries: [Timeline.Entry]) {
        lanes = Array(repeating: -1, count: entries.count)
        let byEnd = entries.indices.sorted { entries[$0].end < entries[$1].end }
        var endedCount = 0
        for index in entries.indices {
            let start = entries[index].start
            while endedCount < byEnd.count, entries[byEnd[endedCount]].end <= start {
                freeLane(of: byEnd[endedCount])
                endedCount += 1
            }
            let nests = nestsInItsJob(index, of: entries)
            let lane = nests ?? freeLanes.popFirst() ?? stacks.count
            if lane == stacks.count { stacks.append([]) }
            lanes[index] = lane
            if entries[index].end > start {
                stacks[lane].append(index)
            } else if nests == nil {
                freeLanes.insert(lane)
            }
        }
    }

    /// Frees the lane of an outermost entry that has ended.
    ///
    /// All entries that are nested in it have ended, too.
    private mutating func freeLane(of ended: Int) {
        let lane = lanes[ended]
        guard lane >= 0, stacks[lane].first == ended else { return }
        stacks[lane] = []
        freeLanes.insert(lane)
    }

    /// Returns the lane of the entry's job, if only the job and its ancestors run there.
    private mutating func nestsInItsJob(_ index: Int, of entries: [Timeline.Entry]) -> Int? {
        guard let job = entries[index].parent, lanes[job] >= 0 else { return nil }
        let lane = lanes[job]
        while let last = stacks[lane].last, entries[last].end <= entries[index].start {
            stacks[lane].removeLast()
        }
        guard
            stacks[lane].last == job,
            stacks[lane].count < Self.maximumDepth,
            entries[index].end <= entries[job].end
        else { return nil }
        return lane
    }
}
