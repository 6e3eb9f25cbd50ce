import Synchronization

extension JobController {
    /// Wraps the job's code and its tasks in a closure, to bind task-locals for all of them.
    ///
    /// `main()`, every callback and the start of every task run inside `context`, each in a
    /// separate call. Swift tasks that they create, such as the task of an ``AsyncOperation``,
    /// inherit the task-locals that are bound there:
    ///
    /// ```swift
    /// enum Trace { @TaskLocal static var id = "none" }
    ///
    /// let sync = Sync()
    /// sync.setContext { body in Trace.$id.withValue("sync-42") { body() } }
    /// try await sync.run()            // Trace.id is "sync-42" in everything the job does
    /// ```
    ///
    /// Nested jobs inherit the context, and a nested job's own context runs inside it. If several
    /// jobs track a task, the task runs inside the context of the first job that has one. A
    /// ``ConcurrentOperation`` that other code starts runs inside the context too, but any other
    /// `Operation` then does not. A task that its job leaves also runs inside the context if it
    /// starts later. A job without a context pays nothing for this feature.
    ///
    /// > Thread: Any. Setting it again replaces it. Setting it after the job was started traps.
    ///
    /// - Parameter context: Calls its `body` once, before it returns, on the same thread; anything
    ///   else traps. Retained until the job, its nested jobs and the tasks that it has left have
    ///   finished, or until a job that was not started is cancelled or finished.
    public final func setContext(_ context: @escaping @Sendable (_ body: () -> Void) -> Void) {
        guard !currentLifecycle.contains(.started) else {
            fatalError("JobKit: the context of \(label) was set after its start.")
        }
        OperationContext.isUsed.store(true, ordering: .releasing)
        let change = shell.send { $0.contexts.set(context, of: self) }
        shell.features.insert(.context)
        for task in shell.tasks {
            JobShell.handDown(change, to: task)
        }
    }
}
