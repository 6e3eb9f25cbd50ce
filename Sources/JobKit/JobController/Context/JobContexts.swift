import Foundation
import Synchronization

/// The context that wraps a job's code: its own context inside the inherited one.
///
/// Guarded by the job's lock.
struct JobContexts {
    private var own: OperationContext?
    private var inherited: OperationContext?
    /// The context in which the job's code runs.
    private(set) var current: OperationContext?

    /// A job's new context, and the one that it replaces.
    struct Change {
        let context: OperationContext
        let replaced: OperationContext?
    }

    /// Sets the job's own context.
    mutating func set(_ body: @escaping OperationContext.Body, of job: Operation) -> Change {
        let replaced = current
        let context = OperationContext(body, of: job, inside: inherited)
        (own, current) = (context, context)
        return Change(context: context, replaced: replaced)
    }

    /// Inherits the context of an ancestor, which replaces the one inherited from it before.
    ///
    /// - Returns: Nil if the job has already inherited the context of another job.
    mutating func inherit(_ change: Change) -> Change? {
        guard inherited == nil || inherited === change.replaced else { return nil }
        let before = current
        inherited = change.context
        own = own?.moved(inside: change.context)
        let changed = own ?? change.context
        current = changed
        return Change(context: changed, replaced: before)
    }

    /// Clears the contexts, because the job runs no further code.
    ///
    /// - Returns: The previous contexts. The caller must release them with no lock held, because a
    ///   closure may capture the job.
    mutating func jobEnded() -> Self {
        exchange(&self, with: Self())
    }
}

extension JobState {
    /// Sets the job's own context.
    mutating func setContext(
        _ body: @escaping OperationContext.Body,
        of job: Operation
    ) -> JobContexts.Change { contexts.set(body, of: job) }

    /// Inherits the context of an ancestor, unless the job has finished.
    mutating func inherit(_ change: JobContexts.Change) -> JobContexts.Change? {
        machine.hasFinished ? nil : contexts.inherit(change)
    }
}

extension JobShell {
    /// Hands a context down to a task, and through nested jobs to their tasks.
    ///
    /// It goes no further than a job that has inherited the context of another job.
    ///
    /// A context is handed down when it is set and when a task is tracked. Therefore, a job without
    /// one, and its tasks, only have to read a flag.
    ///
    /// - Parameters:
    ///   - context: The context.
    ///   - replaced: The context that the task's job handed down before.
    ///   - task: The task.
    static func handDown(
        _ context: OperationContext,
        replacing replaced: OperationContext? = nil,
        to task: Operation
    ) {
        let change = JobContexts.Change(context: context, replaced: replaced)
        var remaining = handDown(change, task)
        while let (task, change) = remaining.popLast() { remaining += handDown(change, task) }
    }

    /// Hands a context down to one task and returns the tasks below it, each with its own change.
    private static func handDown(
        _ change: JobContexts.Change,
        _ task: Operation
    ) -> [(task: Operation, change: JobContexts.Change)] {
        guard let concurrent = task as? ConcurrentOperation else { return [] }
        concurrent.setFlag(.inContext)
        guard let shell = (task as? JobController)?.shell else { return [] }
        let next = shell.send { $0.inherit(change) }
        shell.features.insert(.context)
        return next.map { next in shell.tasks.map { ($0, next) } } ?? []
    }

    /// Keeps the job's context for a task that the job is about to leave.
    func keepContext(of record: TaskRecord) {
        guard features.contains(.context) else { return }
        let (task, queue) = ask { _ in (record.task, record.queue) }
        let isStarted = queue is TaskQueue || queue is any PassingQueue
        if let task { keepContext(for: task, isStarted: isStarted) }
    }

    /// Keeps the job's context, if it has one, for a task that the job is about to leave.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - isStarted: Whether a JobKit queue is sure to start it.
    func keepContext(for task: Operation, isStarted: Bool = false) {
        guard let context else { return }
        // The thread that tracks the task may not have handed it down yet.
        Self.handDown(context, to: task)
        // A nested job has already inherited it.
        if !(task is JobController) { task.keep(KeptContext(context), isStarted: isStarted) }
    }
}

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
        let change = shell.send { $0.setContext(context, of: self) }
        shell.features.insert(.context)
        for task in shell.tasks {
            JobShell.handDown(change.context, replacing: change.replaced, to: task)
        }
    }
}
