/// How many tasks a job has had.
struct TaskCounts: Sendable {
    private(set) var tracked = 0
    /// Those that failed or were cancelled too.
    private(set) var finished = 0
    private(set) var failed = 0

    mutating func taskTracked() { tracked += 1 }

    mutating func taskFinished(hasFailed: Bool) {
        finished += 1
        if hasFailed { failed += 1 }
    }
}
