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

    /// Passes the group permit of a finished task to the next task of the group.
    func returnGroupPermit(_ record: TaskRecord) {
        guard features.contains(.groupLimits) else { return }
        send { $0.submission.taskFinished(record) }
    }

    // MARK: Concurrency limit and suspension

    /// Sets a concurrency limit.
    ///
    /// Before the first one, this reads `isFinished` of each task.
    func setLimit(_ limit: Int, for group: JobGroup) {
        guard limit < .max || features.contains(.groupLimits) else { return }
        // A task that finishes after this line returns its permit.
        features.insert(.groupLimits)
        let uncounted = ask { $0.submission.isCounting ? [] : $0.entries }
        // Read without the lock, because `isFinished` may be user code.
        let finished = uncounted.filter { $0.task.isFinished }.map(\.record)
        send { $0.limitChanged(to: limit, for: group, finished: finished) }
    }

    func setSuspended(_ isSuspended: Bool) {
        send { $0.suspensionChanged(to: isSuspended) }
        if !isSuspended { deliverElsewhere() }
    }
}
