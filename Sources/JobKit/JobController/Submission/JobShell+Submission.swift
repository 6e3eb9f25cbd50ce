import Foundation

/// Puts tasks into their queues when ``JobSubmissionStateMachine`` permits it.
extension JobShell {
    /// Enqueues the task, or defers that.
    func submit(_ record: TaskRecord) {
        if let entry = send({ $0.submission.taskSubmitted(record) }) {
            entry.queue.addUnlessStarted(entry.task)
        }
    }

    /// Submits a task some time after it was tracked, unless the job is ending.
    func submitLater(_ record: TaskRecord) {
        if ask({ $0.isAwaited(record) }) { submit(record) }
    }

    /// Moves tasks from the submission queue into their queues, after a successful
    /// `startDraining()`.
    ///
    /// The order is kept even if several threads submit tasks.
    @inline(never)
    func drainSubmissions() {
        while let next = send({ $0.submission.nextEntry() }) {
            next.queue.addUnlessStarted(next.task)
        }
    }

    // MARK: Concurrency limit and suspension

    func setSuspended(_ isSuspended: Bool) {
        send { $0.suspensionChanged(to: isSuspended) }
        if !isSuspended { deliverElsewhere() }
    }
}
