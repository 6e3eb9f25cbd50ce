import Foundation

/// Putting tasks into their queues, each when ``AdmissionStateMachine`` says so.
extension JobShell {
    /// Puts the task into its queue, or holds it.
    func submit(_ record: TaskRecord) {
        if let submission = send({ $0.admission.taskSubmitted(record) }) {
            submission.queue.addUnlessStarted(submission.task)
        }
    }

    /// Puts a task into its queue some time after it was tracked; an ending job starts none.
    func submitLater(_ record: TaskRecord) {
        let isDue = ask { $0.machine.ending == nil && record.task != nil }
        if isDue { submit(record) }
    }

    /// Puts the admitted tasks into their queues, having claimed to: in order even if several
    /// threads admit some.
    @inline(never)
    func putAdmitted() {
        while let next = send({ $0.admission.nextInLine() }) {
            next.queue.addUnlessStarted(next.task)
        }
    }

    /// The task has finished: gives its place in its group to the next.
    func leaveQueue(_ record: TaskRecord) {
        guard features.contains(.groupWidths) else { return }
        send { $0.admission.taskFinished(record) }
    }

    // MARK: Width and suspension

    /// Sets a width; before the first one, each task is asked whether it has finished.
    func setWidth(_ width: Int, for group: JobGroup) {
        guard width < .max || features.contains(.groupWidths) else { return }
        // A task that finishes from now on gives its place back.
        features.insert(.groupWidths)
        let records = ask { state in
            state.admission.isCounting ? [] : state.tasks.records.map { ($0, $0.task) }
        }
        // `isFinished` may be a user's code: it is asked without the lock.
        let finished = records.filter { $0.1?.isFinished ?? true }.map(\.0)
        send { $0.widthChanged(to: width, for: group, finished: finished) }
    }

    func setSuspended(_ isSuspended: Bool) {
        send { $0.suspensionChanged(to: isSuspended) }
        if !isSuspended { deliverElsewhere() }
    }
}
