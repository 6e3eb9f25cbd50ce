/// The facts that the drawings of a timeline show, computed once for each drawing.
struct TimelineFacts {
    let entries: [Timeline.Entry]
    let omittedCount: Int
    /// The latest end of an entry in nanoseconds, or zero if there are no entries.
    let span: Int64
    /// The number of lanes.
    let laneCount: Int
    /// The tasks of each entry, by start.
    ///
    /// Empty for an entry that is not a job.
    let tasks: [[Int]]
    /// The indices of the critical path's entries, first to last.
    let path: [Int]
    let groups: [Timeline.Group]
    private let roots: [Int]

    init(of timeline: Timeline) {
        entries = timeline.entries
        omittedCount = timeline.omittedCount
        span = entries.map(\.endTime).max() ?? 0
        laneCount = (entries.map(\.lane).max() ?? -1) + 1
        roots = entries.indices.filter { timeline.entries[$0].parent == nil }
        var tasks: [[Int]] = Array(repeating: [], count: entries.count)
        for (index, entry) in entries.enumerated() {
            if let job = entry.parent { tasks[job].append(index) }
        }
        self.tasks = tasks
        path = timeline.criticalIndices
        groups = timeline.groups
    }

    /// The root, or the first recorded entry without a job.
    var root: Timeline.Entry? { roots.first.map { entries[$0] } }

    func isJob(_ index: Int) -> Bool { !tasks[index].isEmpty }

    /// Visits each job before its tasks, and the tasks by start, without recursion.
    ///
    /// - Parameter visit: Called with the entry's index and its depth, which is the number of its
    ///   ancestors.
    func forEachInTree(_ visit: (_ index: Int, _ depth: Int) -> Void) {
        var waiting = roots.reversed().map { (index: $0, depth: 0) }
        while let (index, depth) = waiting.popLast() {
            visit(index, depth)
            waiting += tasks[index].reversed().map { ($0, depth + 1) }
        }
    }
}
