import Foundation

extension JobController {
    /// Explains why the job has not finished yet, task by task.
    ///
    /// The first line contains the job's name and `not started`, `executing` or `finished`. A line
    /// for each unfinished task follows, including those of nested jobs. Each begins with the
    /// task's name, and then contains a text such as:
    ///
    /// - `never queued`
    /// - `suspended`, with the name of the queue
    /// - `full`, with the names of the queue and of the operations that execute there
    /// - `waits for`, with the names of the dependencies
    /// - `executing`, with the time, as in `executing for 40 s, cancelled 12 s ago`
    ///
    /// If the task has timed out, the line shows its ``ConcurrentOperation/maximumRuntime``. If its
    /// class does not override ``ConcurrentOperation/didCancel()``, the line adds `didCancel() does
    /// nothing`. An operation's ``ConcurrentOperation/statusNote`` follows in parentheses. If ten
    /// or more tasks of a job have equal reasons, they share a line, which names ten of them. An
    /// operation that other code added to an `OperationQueue` counts as never queued, because
    /// Foundation does not reveal the queue.
    ///
    /// If the job's own code is busy, the line of the job names the callback, its task and the
    /// time, and counts the finished tasks that wait. It also shows a `main()` that is still
    /// running after ``ConcurrentOperation/finish()``, and a `callbackQueue` that does not run the
    /// callbacks. The line of a job that was not started shows the dependencies or the queue that
    /// it waits for. If a dependency has no line, its reason follows in parentheses. A line names
    /// at most ten dependencies, or ten operations in a full queue.
    ///
    /// > Thread: Any. Takes no lock that a callback could hold. Reads `name`, `isReady` and
    /// > ``ConcurrentOperation/statusNote`` of operations on the calling thread.
    ///
    /// The cost depends on the limit and not on the number of tasks. The exception is an
    /// `OperationQueue` with a concurrency limit, which can only return all of its operations at
    /// once.
    ///
    /// - Parameter limit: The maximum number of lines for tasks. A last line counts the tasks
    ///   without a line.
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
    /// Returns why the operation has not finished.
    ///
    /// For a job, this is the text of `explainStall`. For any other operation, it is a single line.
    ///
    /// - Parameter queue: The queue to which the operation was added.
    /// - Returns: The text.
    func stallExplanation(in queue: any OperationScheduling) -> String {
        if let job = asJob { return job.explainStall() }
        var report = StallReport(at: .now)
        return report.line(of: self, in: queue)
    }
}

extension Operation {
    /// The operation's own note, in parentheses, or an empty string if there is none.
    var note: String {
        guard let note = ownNote, !note.isEmpty else { return "" }
        return " (\(note.oneLine))"
    }
}
