import Foundation

extension JobController {
    /// Explains why the job has not finished yet, task by task.
    ///
    /// The first line is the job's name and whether it is `not started`, `executing` or `finished`.
    /// A line for each unfinished task follows, including those of nested jobs. It begins with the
    /// task's name and says `never queued`, `suspended` or `full` with the names of the queue and
    /// of the operations that execute there, `waits for` with the names of the dependencies, or
    /// `executing`. A task that has been executing for a second or longer says how long; one that
    /// was cancelled, or overran its ``ConcurrentOperation/maximumRuntime``, says that it has not
    /// stopped yet. A plain operation whose class has forgotten the notification says `finished
    /// without telling`. Where the same holds of ten or more tasks of a job, the first has the
    /// line, which counts the others and names ten of them. An operation that other code added to
    /// an `OperationQueue` counts as never queued, because Foundation does not reveal it. An
    /// operation's ``ConcurrentOperation/statusNote`` follows in parentheses.
    ///
    /// A job whose own code is busy says in which callback of which task, and for how long, that
    /// its `main()` goes on although ``ConcurrentOperation/finish()`` was called, or that its
    /// `callbackQueue` does not run its callbacks, and how many finished tasks wait. A job that was
    /// not started says what it waits for, as a task does. A dependency without a line of its own
    /// has its reason in parentheses. A line names at most ten dependencies, or ten operations in a
    /// full queue.
    ///
    /// > Thread: Any. Takes no lock that a callback could hold; asks operations for their `name`,
    /// > `isReady` and ``ConcurrentOperation/statusNote`` on the calling thread.
    ///
    /// The cost follows the limit, not the number of tasks, but for tasks in an `OperationQueue` of
    /// limited width, which gives its operations all at once.
    ///
    /// - Parameter limit: The maximum number of lines for tasks; a last line counts the tasks that
    ///   have none.
    /// - Returns: The lines, without a final line feed.
    public final func explainStall(limit: Int = 100) -> String {
        explainStall(limit: limit, at: .now)
    }

    func explainStall(limit: Int = .max, at now: CoarseTime) -> String {
        var report = StallReport(at: now)
        return report.lines(of: self, limit: limit).joined(separator: "\n")
    }
}

extension ConcurrentOperation {
    /// Why the operation has not finished: the text of `explainStall` for a job, and the line of
    /// any other operation.
    ///
    /// - Parameter queue: The queue that the operation was added to.
    /// - Returns: The text.
    func stallExplanation(in queue: any OperationScheduling) -> String {
        if let job = asJob { return job.explainStall() }
        var report = StallReport(at: .now)
        return report.line(of: self, in: queue)
    }
}

extension Operation {
    /// What the operation itself adds to its line; empty for nothing.
    var note: String {
        guard let note = (self as? ConcurrentOperation)?.statusNote, !note.isEmpty else {
            return ""
        }
        return " (\(TimelineName.oneLine(note)))"
    }
}
