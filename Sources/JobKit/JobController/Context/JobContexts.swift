import Foundation
import Synchronization

/// What the code of a job runs inside: its own context, within the one that it has inherited;
/// guarded by the job's lock.
struct JobContexts {
    private var own: OperationContext?
    private var inherited: OperationContext?
    /// What the job's code runs inside.
    private(set) var current: OperationContext?

    /// What a job runs inside now, and what that stands in place of.
    struct Change {
        let context: OperationContext
        let replaced: OperationContext?
    }

    /// The job is given a context of its own.
    mutating func set(_ body: @escaping OperationContext.Body, of job: Operation) -> Change {
        let replaced = current
        let context = OperationContext(body, of: job, inside: inherited)
        (own, current) = (context, context)
        return Change(context: context, replaced: replaced)
    }

    /// A job above hands its context down, in place of the one that it handed down before.
    ///
    /// - Returns: Nil if another job has handed one down.
    mutating func inherit(_ change: Change) -> Change? {
        guard inherited == nil || inherited === change.replaced else { return nil }
        let before = current
        inherited = change.context
        own = own?.moved(inside: change.context)
        let changed = own ?? change.context
        current = changed
        return Change(context: changed, replaced: before)
    }

    /// No code of the job's runs any more.
    ///
    /// - Returns: What it ran inside, to be released with no lock held: a closure may capture the
    ///   job.
    mutating func jobEnded() -> Self {
        exchange(&self, with: Self())
    }
}

extension JobShell {
    /// Hands a context down to a task, and through nested jobs to their tasks, as far as no other
    /// job's context stands in between.
    ///
    /// It is handed down when it is set and when a task is tracked, so that a job without one, and
    /// a task of such a job, have a flag to read and nothing else to do.
    ///
    /// - Parameters:
    ///   - context: The context.
    ///   - replaced: What the task's job handed down before.
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

    /// Hands a context down to a task alone; returns the tasks below it, with what they get.
    private static func handDown(
        _ change: JobContexts.Change,
        _ task: Operation
    ) -> [(task: Operation, change: JobContexts.Change)] {
        guard let concurrent = task as? ConcurrentOperation else { return [] }
        concurrent.note(.inContext)
        guard let shell = (task as? JobController)?.shell else { return [] }
        let next = shell.send { state in
            state.machine.hasFinished ? nil : state.contexts.inherit(change)
        }
        shell.features.insert(.context)
        return next.map { next in shell.tasks.map { ($0, next) } } ?? []
    }

    /// Keeps the job's context for the task of a record that the job is about to leave.
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
    ///   - isStarted: Whether a queue of JobKit's is sure to start it.
    func keepContext(for task: Operation, isStarted: Bool = false) {
        guard let context else { return }
        // The thread that tracks the task may not have handed it down yet.
        Self.handDown(context, to: task)
        // A nested job has inherited it.
        if !(task is JobController) { task.keep(KeptContext(context), isStarted: isStarted) }
    }
}

extension JobController {
    /// Sets a closure that wraps the job's code and its tasks, to bind task-locals for all of them.
    ///
    /// `main()`, every callback and the start of every task run inside `context`, each in a
    /// separate call. Swift tasks that they create, such as the task of an ``AsyncOperation``,
    /// inherit what is bound there:
    ///
    /// ```swift
    /// enum Trace { @TaskLocal static var id = "none" }
    ///
    /// let sync = Sync()
    /// sync.setContext { body in Trace.$id.withValue("sync-42") { body() } }
    /// try await sync.run()            // Trace.id is "sync-42" in everything the job does
    /// ```
    ///
    /// Nested jobs inherit the context; a nested job's own context runs inside it. If several jobs
    /// track a task, the task runs inside the context of the first job that has one. A
    /// ``ConcurrentOperation`` that other code starts runs inside the context too; another
    /// `Operation` then does not. A task that its job leaves to itself, and that starts later, runs
    /// inside the context too. A job without a context pays nothing for this feature.
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
            JobShell.handDown(change.context, replacing: change.replaced, to: task)
        }
    }
}
