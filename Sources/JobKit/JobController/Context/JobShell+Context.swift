import Foundation

extension JobShell {
    /// Hands a context down to a task, and through nested jobs to their tasks.
    ///
    /// It goes no further than a job that has inherited the context of another job.
    ///
    /// A context is handed down when it is set and when a task is tracked. Therefore, a job without
    /// one, and its tasks, only have to read a flag.
    ///
    /// - Parameters:
    ///   - change: The context, and the one that the task's job handed down before.
    ///   - task: The task.
    static func handDown(_ change: JobContexts.Change, to task: Operation) {
        var remaining = [(task: task, change: change)]
        while let (task, change) = remaining.popLast() {
            task.mark(.inContext)
            guard let shell = task.asJob?.shell else { continue }
            let next = shell.send { $0.machine.hasFinished ? nil : $0.contexts.inherit(change) }
            shell.features.insert(.context)
            if let next { remaining += shell.tasks.map { ($0, next) } }
        }
    }

    /// Keeps the job's context, if it has one, for a task that the job is about to leave.
    func keepContext(of record: TaskRecord) {
        guard let context else { return }
        let (task, queue) = ask { _ in (record.task, record.queue) }
        guard let task else { return }
        // The thread that tracks the task may not have handed it down yet.
        Self.handDown((context, nil), to: task)
        // A nested job has already inherited it.
        guard task.asJob == nil else { return }
        let isSureToStart = queue is TaskQueue || queue is any PassingQueue
        task.keep(KeptContext(context), isStarted: isSureToStart)
    }
}
