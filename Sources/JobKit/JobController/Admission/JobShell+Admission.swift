import Foundation

/// Puts tasks into their queues when ``AdmissionStateMachine`` admits them.
extension JobShell {
    /// Puts the task into its queue, or holds it.
    func submit(_ record: TaskRecord) {
        if let submission = send({ $0.admission.taskSubmitted(record) }) {
            submission.queue.addUnlessStarted(submission.task)
        }
    }

    /// Puts a task into its queue some time after it was tracked, unless the job is ending.
    func submitLater(_ record: TaskRecord) {
        let isDue = ask { $0.machine.ending == nil && record.task != nil }
        if isDue { submit(record) }
    }

    /// Puts the admitted tasks into their queues, after a successful `claimLine()`.
    ///
    /// The order is kept even if several threads admit tasks.
    @inline(never)
    func putAdmitted() {
        while let next = send({ $0.admission.nextInLine() }) {
            next.queue.addUnlessStarted(next.task)
        }
    }

    /// Passes the group permit of a finished task to the next task of the group.
    func leaveQueue(_ record: TaskRecord) {
        guard features.contains(.groupWidths) else { return }
        send { $0.admission.taskFinished(record) }
    }

    // MARK: Concurrency limit and suspension

    /// Sets a concurrency limit.
    ///
    /// Before the first one, this reads `isFinished` of each task.
    func setWidth(_ width: Int, for group: JobGroup) {
        guard width < .max || features.contains(.groupWidths) else { return }
        // A task that finishes after this line returns its permit.
        features.insert(.groupWidths)
        let records = ask { state in
            state.admission.isCounting ? [] : state.tasks.records.map { ($0, $0.task) }
        }
        // Read without the lock, because `isFinished` may be user code.
        let finished = records.filter { $0.1?.isFinished ?? true }.map(\.0)
        send { $0.widthChanged(to: width, for: group, finished: finished) }
    }

    func setSuspended(_ isSuspended: Bool) {
        send { $0.suspensionChanged(to: isSuspended) }
        if !isSuspended { deliverElsewhere() }
    }
}
