extension Timeline {
    /// The indices of the critical path's entries, first to last.
    var criticalIndices: [Int] {
        let lastTasks = lastTasksOfJobs()
        let blockers = blockers(lastTasks: lastTasks)
        let tasks = entries.indices.filter { index in
            lastTasks[index] == index && entries[index].outcomeText != nil
                && entries[index].parent != nil
        }
        guard let last = tasks.max(by: finishedEarlier) else { return [] }
        var path = [last]
        var seen: Set<Int> = [last]
        while let before = blockers[path[path.count - 1]], seen.insert(before).inserted {
            path.append(before)
        }
        return path.reversed()
    }

    /// Returns the last task that kept each entry from finishing.
    ///
    /// For a job, this is the last of its tasks. For a task, and for a job without tasks, it is the
    /// entry itself.
    private func lastTasksOfJobs() -> [Int] {
        var lastTasks = Array(entries.indices)
        for index in entries.indices.reversed() {
            guard let job = entries[index].parent else { continue }
            let candidate = lastTasks[index]
            // A task that was left running does not keep its job from finishing.
            guard entries[candidate].endTime <= entries[job].endTime else { continue }
            let known = lastTasks[job]
            if known == job || finishedEarlier(known, candidate) { lastTasks[job] = candidate }
        }
        return lastTasks
    }

    /// Returns the last task that kept each entry, or a job above it, from starting.
    private func blockers(lastTasks: [Int]) -> [Int?] {
        var blockers: [Int?] = Array(repeating: nil, count: entries.count)
        for index in entries.indices {
            let own = entries[index].predecessors.map { lastTasks[$0] }
            let inherited = entries[index].parent.flatMap { blockers[$0] }
            blockers[index] = (own + [inherited].compactMap(\.self)).max(by: finishedEarlier)
        }
        return blockers
    }

    private func finishedEarlier(_ left: Int, _ right: Int) -> Bool {
        (entries[left].endTime, entries[left].startTime, left)
            < (entries[right].endTime, entries[right].startTime, right)
    }
}
