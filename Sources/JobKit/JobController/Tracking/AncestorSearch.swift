/// Finds out whether a job that is to be tracked waits for the job that is to track it.
///
/// Searches up from the one and down from the other by turns, until one of the searches is complete.
/// So a small tree below ten thousand jobs costs no more than a job above them.
struct AncestorSearch {
    private let job: JobShell
    private let task: JobShell
    private var up: Walk<JobShell>
    private var down: Walk<JobShell>

    /// Begins the search for `task` above `job`.
    init(above job: JobController, for task: JobController) {
        self.job = job.shell
        self.task = task.shell
        up = Walk(JobShell.tracking(job))
        down = Walk([task.shell])
    }

    /// Whether the task waits for the job.
    mutating func findsTask() -> Bool {
        while let higher = up.next, let lower = down.next {
            guard higher !== task, lower !== job else { return true }
            let cost = lower.taskCount
            if up.steps <= down.steps + cost {
                up.visited(higher.trackers)
            } else {
                let nested = lower.tasks.compactMap { ($0 as? JobController)?.shell }
                down.visited(nested, steps: cost)
            }
        }
        return false
    }
}
