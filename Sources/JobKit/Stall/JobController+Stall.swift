import Foundation

extension JobController {
    /// Explains why the job has not finished yet, task by task.
    ///
    /// The first line is the job's name and whether it is `not started`, `executing` or `finished`.
    /// A line for each unfinished task follows, including those of nested jobs. It begins with the
    /// task's name and says `never queued`, `suspended` or `full` with the names of the queue and
    /// of the operations that execute there, `waits for` with the names of the dependencies, or
    /// `executing`. The line of an executing task also gives the time, as in `executing for 40 s,
    /// cancelled 12 s ago`. If the task has timed out, the line shows its
    /// ``ConcurrentOperation/maximumRuntime``. If its class does not override
    /// ``ConcurrentOperation/didCancel()``, the line adds `didCancel() does nothing`. Ten or more
    /// tasks of a job with equal reasons share a line, which names ten of them. An operation that
    /// other code added to an `OperationQueue` counts as never queued, because Foundation does not
    /// reveal it. An operation's ``ConcurrentOperation/statusNote`` follows in parentheses.
    ///
    /// If the job's own code is busy, the line of the job names the callback, its task and the
    /// time, and counts the finished tasks that wait. It also shows a `main()` that is still
    /// running after ``ConcurrentOperation/finish()``, and a `callbackQueue` that does not run the
    /// callbacks. The line of a job that was not started shows what it waits for. A dependency
    /// without a line of its own has its reason in parentheses. A line names at most ten
    /// dependencies, or ten operations in a full queue.
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
