import JobKit

/// What is shown of a running job: its unfinished tasks as JSON, and why it is not finished.
struct TaskView: Sendable {
    let tasks: String
    let stall: String?

    /// How many tasks are shown, nested ones included.
    static let taskLimit = 200
    /// How many lines say why; with the job's own, and one that counts what was left out, 60.
    static let stallLimit = 58

    init(of run: LiveRun) {
        stall = run.job.explainStall(limit: Self.stallLimit)
        tasks = (try? ErrorText.json(run.job.snapshot(limit: Self.taskLimit))) ?? "null"
    }
}
