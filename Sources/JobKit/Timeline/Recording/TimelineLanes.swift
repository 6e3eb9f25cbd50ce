/// Decides in which lane each interval of a timeline is drawn.
///
/// An interval nests in its job's lane if nothing else runs there, and otherwise takes the lowest
/// lane that is free; it never nests in a stranger, which would look like its cause.
struct TimelineLanes {
    /// How deep one lane nests at most; Perfetto drops slices that nest much deeper.
    static let maximumDepth = 100

    /// The lane of each interval.
    private(set) var lanes: [Int]

    private var freeLanes = MinHeap<Int>()
    /// The intervals that run in each lane, outermost first.
    private var stacks: [[Int]] = []

    /// Gives each interval a lane.
    ///
    /// - Parameter intervals: By start, a job before its tasks.
    init(of intervals: [Timeline.Interval]) {
        lanes = Array(repeating: -1, count: intervals.count)
        let byEnd = intervals.indices.sorted { intervals[$0].end < intervals[$1].end }
        var endedCount = 0
        for index in intervals.indices {
            let start = intervals[index].start
            while endedCount < byEnd.count, intervals[byEnd[endedCount]].end <= start {
                freeLane(of: byEnd[endedCount])
                endedCount += 1
            }
            let nests = nestsInItsJob(index, of: intervals)
            let lane = nests ?? freeLanes.popFirst() ?? addLane()
            lanes[index] = lane
            if intervals[index].end > start {
                stacks[lane].append(index)
            } else if nests == nil {
                freeLanes.insert(lane)
            }
        }
    }

    private mutating func addLane() -> Int {
        stacks.append([])
        return stacks.count - 1
    }

    /// Frees the lane whose outermost interval has ended; what nests in it has ended too.
    private mutating func freeLane(of ended: Int) {
        let lane = lanes[ended]
        guard lane >= 0, stacks[lane].first == ended else { return }
        stacks[lane] = []
        freeLanes.insert(lane)
    }

    /// The lane of the interval's job, if only the job and its ancestors run there.
    private mutating func nestsInItsJob(_ index: Int, of intervals: [Timeline.Interval]) -> Int? {
        guard let job = intervals[index].parent, lanes[job] >= 0 else { return nil }
        let lane = lanes[job]
        while let last = stacks[lane].last, intervals[last].end <= intervals[index].start {
            stacks[lane].removeLast()
        }
        guard
            stacks[lane].last == job,
            stacks[lane].count < Self.maximumDepth,
            intervals[index].end <= intervals[job].end
        else { return nil }
        return lane
    }
}
