/// Where a launch task stands: the workflow that it was added to, and its number there.
struct LaunchPlace: Sendable {
    weak var shell: TaskWorkflowShell?
    /// Nil while the task is being added.
    var index: Int?
}
