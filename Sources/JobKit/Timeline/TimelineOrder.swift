extension Timeline {
    /// Visits each job before its tasks and those by start, without recursion.
    ///
    /// - Parameter visit: Called with the entry's place and how many jobs it is below the root.
    func forEachInTree(_ visit: (_ place: Int, _ depth: Int) -> Void) {
        let tasks = tasksOfJobs
        var waiting = entries.indices.filter { entries[$0].parent == nil }.reversed()
            .map { (place: $0, depth: 0) }
        while let (place, depth) = waiting.popLast() {
            visit(place, depth)
            waiting += tasks[place].reversed().map { ($0, depth + 1) }
        }
    }

    /// The tasks of each entry, by start; none for what is not a job.
    var tasksOfJobs: [[Int]] {
        var tasks: [[Int]] = Array(repeating: [], count: entries.count)
        for (place, entry) in entries.enumerated() {
            if let job = entry.parent { tasks[job].append(place) }
        }
        return tasks
    }
}
