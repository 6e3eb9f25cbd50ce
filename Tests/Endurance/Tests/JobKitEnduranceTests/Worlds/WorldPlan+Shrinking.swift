/// Shrinks a failing world step by step until no smaller world fails.
extension WorldPlan {
    /// A measure that decreases with each step.
    var size: Int {
        root.size + chaos.reduce(0) { $0 + 2 + $1.count } + (width == 1 ? 0 : 1)
            + (isAsked ? 1 : 0) + (rateMicroseconds > 100 ? 1 : 0) + (launch?.size ?? 0)
    }

    /// Returns worlds with parts of this one removed, the largest parts first.
    func smaller() -> [WorldPlan] {
        var worlds: [WorldPlan] = []
        func add(_ change: (inout WorldPlan) -> Void) {
            var world = self
            change(&world)
            if world != self { worlds.append(world) }
        }
        for thread in chaos.indices { add { $0.chaos.remove(at: thread) } }
        for thread in chaos.indices {
            for part in Self.parts(of: chaos[thread].count) {
                add { $0.chaos[thread].removeSubrange(part) }
            }
        }
        for root in root.smaller() { add { $0.root = root } }
        add { $0.isAsked = false }
        add { $0.rateMicroseconds = 100 }
        add { $0.launch = nil }
        for launch in launch?.smaller() ?? [] { add { $0.launch = launch } }
        if width > 1 { add { $0.width = 1 } }
        return worlds
    }

    /// Returns the ranges of halves, quarters and so on down to single elements.
    static func parts(of count: Int) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var length = count
        while length > 0 {
            for start in stride(from: 0, to: count, by: length) {
                parts.append(start..<min(start + length, count))
            }
            length /= 2
        }
        return parts
    }
}

extension JobPlan {
    fileprivate var size: Int {
        (tasks + last).reduce(1) { $0 + $1.size } + deeds.count + (hasCallbackQueue ? 1 : 0)
            + (hasContext ? 1 : 0) + (hasNarrowGroup ? 1 : 0)
            + (maximumRuntimeMicroseconds == nil ? 0 : 1)
            + (maximumStopMicroseconds == nil ? 0 : 1)
    }

    fileprivate func smaller() -> [JobPlan] {
        var jobs: [JobPlan] = []
        func add(_ change: (inout JobPlan) -> Void) {
            var job = self
            change(&job)
            if job != self { jobs.append(job) }
        }
        let lists = [\JobPlan.tasks, \JobPlan.last]
        for list in lists {
            for part in WorldPlan.parts(of: self[keyPath: list].count) {
                add { $0[keyPath: list].removeSubrange(part) }
            }
        }
        for deed in deeds.keys.sorted() { add { $0.deeds[deed] = nil } }
        add { $0.hasCallbackQueue = false }
        add { $0.hasContext = false }
        add { $0.hasNarrowGroup = false }
        add { $0.maximumRuntimeMicroseconds = nil }
        add { $0.maximumStopMicroseconds = nil }
        for list in lists {
            for (index, task) in self[keyPath: list].enumerated() {
                for task in task.smaller() { add { $0[keyPath: list][index] = task } }
            }
        }
        return jobs
    }
}

extension TaskPlan {
    fileprivate var size: Int {
        let inner =
            switch kind {
            case .instant(fails: false): 0
            case .job(let job): 1 + job.size
            case .sharing(let job): 2 + job.size
            default: 1
            }
        let terms = [
            group != nil, queue != nil, cancellation != 0, weight != 1, failure != 0, hasClosure,
            waitsFor != 0, edgeIsRemoved, waitsOutside, priority != 0,
        ]
        return 1 + inner + terms.count { $0 } + next.reduce(0) { $0 + $1.size }
    }

    fileprivate func smaller() -> [TaskPlan] {
        var tasks: [TaskPlan] = []
        func add(_ change: (inout TaskPlan) -> Void) {
            var task = self
            change(&task)
            if task != self { tasks.append(task) }
        }
        for part in WorldPlan.parts(of: next.count) { add { $0.next.removeSubrange(part) } }
        add { $0.kind = .instant(fails: false) }
        switch kind {
        case .job(let job):
            for job in job.smaller() { add { $0.kind = .job(job) } }
        case .sharing(let job):
            add { $0.kind = .job(job) }
            for job in job.smaller() { add { $0.kind = .sharing(job) } }
        default: break
        }
        add { $0.group = nil }
        add { $0.queue = nil }
        add { $0.cancellation = 0 }
        add { $0.weight = 1 }
        add { $0.failure = 0 }
        add { $0.hasClosure = false }
        add { $0.waitsFor = 0 }
        add { $0.edgeIsRemoved = false }
        add { $0.waitsOutside = false }
        add { $0.priority = 0 }
        for (index, task) in next.enumerated() {
            for task in task.smaller() { add { $0.next[index] = task } }
        }
        return tasks
    }
}
