import Foundation

/// What observers are notified of, taken together with the input that it belongs to.
extension JobState {
    /// A notification of a task to all observers; nil if there are none, or the job or the task has
    /// gone.
    @inline(__always)
    func notification(of record: TaskRecord) -> TaskNotification? {
        guard !observers.isEmpty, !machine.hasFinished, let task = record.task,
            let job = owner.known
        else { return nil }
        return notification(of: record, task, by: job)
    }

    @inline(__always)
    private func notification(
        of record: TaskRecord,
        _ task: Operation,
        by job: JobController
    ) -> TaskNotification {
        TaskNotification(
            entries: observers.entries,
            unaware: observers.unaware(behind: Int(record.awareObservers)),
            job: job,
            task: task,
            taskID: record.isConcurrent
                ? unsafeDowncast(task, to: ConcurrentOperation.self).eventNumber
                : task.operationID,
            isConcurrent: record.isConcurrent,
            group: groups.groups[record.group],
            startTime: record.startTime,
            groupCauseID: record.admission.causeID
        )
    }

    /// A task is tracked: notes that its observers are being notified.
    @inline(__always)
    func trackingBegan(
        _ record: TaskRecord,
        _ task: Operation,
        by job: JobController
    ) -> TaskNotification {
        var notification = notification(of: record, task, by: job)
        record.trackingIsNotified(to: notification.entries.count)
        notification.unaware = 0..<0
        if ThreadContext.current.pointee.callbackJob == ObjectIdentifier(record.shell) {
            notification.causeID = observers.causeID
        }
        return notification
    }

    /// Observers are about to be notified of an event of a task; nil if the job no longer waits for
    /// the task, or observers know its end.
    @inline(__always)
    func eventBegan(
        _ kind: JobEvent.Kind,
        of record: TaskRecord,
        at time: EventTime
    ) -> TaskNotification? {
        guard record.isAwaited, let notification = notification(of: record),
            record.change({ $0.begin(endsTask: kind == .finished) })
        else { return nil }
        record.eventIsNotified(
            to: notification.entries.count,
            startTime: kind == .started ? time : nil
        )
        return notification
    }

    /// The callbacks of a task have returned, and observers are about to be notified.
    @inline(__always)
    func taskWasDelivered(_ record: TaskRecord) -> TaskNotification? { notification(of: record) }

    // MARK: Leaving

    /// Observers leave the job.
    ///
    /// - Returns: The notifications that its tasks are dropped, and the jobs to go on with.
    mutating func observersLeave(
        _ leaving: Set<ObjectIdentifier>,
        _ leave: ObserversLeave
    ) -> (drops: [(record: TaskRecord, notification: TaskNotification)], jobs: [JobController]) {
        let before = observers.entries
        let removed = observers.remove(leaving)
        guard !removed.isEmpty else { return ([], []) }
        let records = tasks.records
        var drops: [(record: TaskRecord, notification: TaskNotification)] = []
        for record in records {
            let aware = removed.filter { $0 < record.awareObservers }
            record.observersLeft(aware.count)
            guard !aware.isEmpty, record.isAwaited,
                let notification = notification(of: record, to: aware.map { before[$0] })
            else { continue }
            switch record.change({ $0.observersLeft() }) {
            case .notifyNow: drops.append((record, notification))
            case .wait(let notifiesDrop):
                let leavers = notifiesDrop ? notification.entries : []
                observers.await(leave, leavers, of: record)
            case .knowEnd: break
            }
        }
        return (drops, records.compactMap { $0.task as? JobController })
    }

    /// No thread is notifying observers of a task any more, and some have left meanwhile.
    ///
    /// - Returns: The notification that the task is dropped, to those that need it; and what waits
    ///   for it.
    mutating func leaveEnded(
        of record: TaskRecord
    ) -> (notification: TaskNotification?, leaves: [ObserversLeave]) {
        let leaves = observers.takeLeaves(of: record)
        return (notification(of: record, to: leaves.flatMap(\.leavers)), leaves.map(\.leave))
    }

    private func notification(
        of record: TaskRecord,
        to entries: [JobObservers.Entry]
    ) -> TaskNotification? {
        guard let task = record.task, let job = owner.known else { return nil }
        var notification = notification(of: record, task, by: job)
        (notification.entries, notification.unaware) = (entries, 0..<0)
        return notification
    }
}
