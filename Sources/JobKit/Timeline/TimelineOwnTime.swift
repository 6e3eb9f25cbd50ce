extension Timeline {
    /// How long each job continued after its last task had finished, mostly in its own callbacks.
    ///
    /// In the order of ``entries``; nil for an entry without tasks, and for one that is still
    /// running. A task that outlives its job does not count.
    public var timesAfterTasks: [Duration?] {
        var lastEnds: [Duration?] = Array(repeating: nil, count: entries.count)
        for entry in entries {
            guard let job = entry.parent, entry.end <= entries[job].end else { continue }
            lastEnds[job] = max(lastEnds[job] ?? .zero, entry.end)
        }
        return zip(entries, lastEnds)
            .map { entry, last in entry.outcome == nil ? nil : last.map { entry.end - $0 } }
    }

    /// The times after tasks that are worth showing: a hundredth of the whole and more.
    var longTimesAfterTasks: [Duration?] {
        timesAfterTasks.map { time in
            time.flatMap { $0 > .zero && $0 * 100 >= span ? $0 : nil }
        }
    }
}
