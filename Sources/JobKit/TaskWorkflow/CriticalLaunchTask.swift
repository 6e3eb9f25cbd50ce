/// A task that decided how long a launch took.
public struct CriticalLaunchTask: Hashable, Sendable {
    /// The task's name.
    public let name: String
    /// How long it took, from its start to its finish.
    public let duration: Duration
    /// How much shorter the launch would have been with the task on the concurrent queue.
    ///
    /// Zero for a task that is already concurrent.
    public let savingIfConcurrent: Duration
}
