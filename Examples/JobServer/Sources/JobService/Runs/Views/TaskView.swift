import JobKit

/// The view of a running job: its unfinished tasks as JSON, and the reasons why it is unfinished.
struct TaskView: Sendable {
    let tasks: String
    let stall: String?

    /// The highest number of tasks in the view, including nested ones.
    static let taskLimit = 200
    /// The highest number of reasons.
    ///
    /// With the job's own line and a line for omitted reasons, there are at most 60 lines.
    static let stallLimit = 58

    init(of run: LiveRun) {
        stall = run.job.explainStall(limit: Self.stallLimit)
        tasks = (try? ErrorText.json(run.job.snapshot(limit: Self.taskLimit))) ?? "null"
    }
}
