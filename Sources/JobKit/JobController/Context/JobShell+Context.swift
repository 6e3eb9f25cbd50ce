import Foundation

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
        var remaining = handDown((context, replaced), task)
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
