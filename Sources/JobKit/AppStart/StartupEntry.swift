/// A place in the queue of a manager: a task, or the manager itself.
struct StartupEntry: Identifiable, Sendable {
    let id: ObjectIdentifier

    // Tasks need not be `Sendable`. The manager hands one from thread to thread under its lock, and
    // calls it on one thread at a time.
    /// The task; `nil` for the manager, which would otherwise keep itself alive.
    nonisolated(unsafe) let task: (any AppStartTask)?

    init(_ task: any AppStartTask, in manager: AppStartTaskManager) {
        id = ObjectIdentifier(task)
        self.task = task === manager ? nil : task
    }
}
