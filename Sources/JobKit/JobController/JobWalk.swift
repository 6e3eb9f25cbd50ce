/// The jobs that a look through the tree of jobs has still to visit, each of them once.
struct JobWalk {
    private var pending: [JobEffects] = []
    private var seen: Set<ObjectIdentifier> = []
    /// What the walk has cost.
    private(set) var steps = 0

    init(_ jobs: [JobEffects]) {
        add(jobs)
    }

    /// The job to visit next; nil: the walk is complete.
    var next: JobEffects? { pending.last }

    /// The next job was visited, at the cost of some steps, and led to others.
    mutating func visited(_ found: [JobEffects], steps: Int = 1) {
        pending.removeLast()
        self.steps += steps
        add(found)
    }

    private mutating func add(_ jobs: [JobEffects]) {
        pending += jobs.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
}
