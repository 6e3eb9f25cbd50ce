import Foundation

/// Creates notifications for observers, together with the input that causes them.
extension JobState {
    /// Creates a notification of a task for all observers.
    ///
    /// - Returns: Nil if there are no observers, or if the job or the task was released.
    @inline(__always)
    func notification(of record: TaskRecord) -> TaskNotification? {
        guard !observers.isEmpty, !machine.hasFinished, let task = record.task,
            let job
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
            pending: observers.pending(after: Int(record.notifiedObservers)),
            job: job,
            task: task,
            taskID: record.isConcurrent
                ? unsafeDowncast(task, to: ConcurrentOperation.self).eventNumber
                : task.operationID,
            isConcurrent: record.isConcurrent,
            group: groups.groups[record.group],
            startTime: record.startTime,
            groupCauseID: record.submission.causeID
        )
    }

    /// Creates the notification that a task is tracked, and marks it as being sent.
    @inline(__always)
    func trackingBegan(
        _ record: TaskRecord,
        _ task: Operation,
        by job: JobController
    ) -> TaskNotification {
        var notification = notification(of: record, task, by: job)
        record.notifications = .begun
        record.notifiedObservers = Int32(notification.entries.count)
        notification.pending = notification.entries.indices
        if ThreadContext.current.pointee.callbackJob == ObjectIdentifier(record.shell) {
            notification.causeID = observers.causeID
        }
        return notification
    }

    /// Creates the notification of a task's event, and marks it as being sent.
    ///
    /// `.tracked` notifies only the observers that were not notified of it before.
    ///
    /// - Returns: Nil if the job no longer waits for the task, or if observers were notified of its
    ///   end.
    @inline(__always)
    func eventBegan(
        _ kind: JobEvent.Kind,
        of record: TaskRecord,
        at time: EventTime
    ) -> TaskNotification? {
        guard record.isAwaited, let notification = notification(of: record),
            record.notifications.begin(endsTask: kind == .finished)
        else { return nil }
        record.notifiedObservers = Int32(notification.entries.count)
        if kind == .started { record.startTime = time }
        return notification
    }

    /// Creates the notification that a task's callbacks have returned, and marks it as being sent.
    ///
    /// It leaves out the observers that do not know the task, so that its events add up.
    ///
    /// - Returns: Nil if observers do not know the task's finish.
    func deliveryBegan(of record: TaskRecord) -> TaskNotification? {
        guard var notification = notification(of: record), record.notifications.beginDelivery()
        else { return nil }
        if !notification.pending.isEmpty {
            notification.entries.removeSubrange(notification.pending)
            notification.pending = 0..<0
        }
        return notification
    }

    // MARK: Adding and removing

    /// Observers, and the tasks of the job that must report to them.
    typealias PassedObservers = (entries: [JobObservers.Entry], tasks: [Entry])

    /// Adds observers, and returns those that the job must pass on to its tasks.
    mutating func addObservers(
        _ added: [JobObservers.Entry],
        isComplete: Bool
    ) -> PassedObservers {
        let changed = observers.add(added, isComplete: isComplete)
        return (changed, changed.isEmpty ? [] : entries)
    }

    /// Removes observers that the job has got from one source.
    ///
    /// - Parameters:
    ///   - removed: The observers.
    ///   - source: The job's record in the job that passed them on, or nil.
    ///   - removal: Waits for the threads that are notifying the removed observers.
    /// - Returns: The consequences, and the tasks that pass them on.
    mutating func removeObservers(
        _ removed: [JobObservers.Entry],
        from source: ObjectIdentifier?,
        _ removal: ObserverRemoval?
    ) -> (removed: JobObservers.Removed, tasks: [Entry]) {
        let removed = observers.remove(removed, from: source)
        guard !removed.entries.isEmpty else {
            return (removed, removed.replaced.isEmpty ? [] : entries)
        }
        for record in tasks.records {
            let notified = removed.indices.count { $0 < record.notifiedObservers }
            record.notifiedObservers -= Int32(notified)
            if let removal, record.notifications.observersRemoved() {
                observers.await(removal, of: record)
            }
        }
        return (removed, entries)
    }

    /// Ends a notification of a task's event.
    ///
    /// - Returns: The removals that have waited for it, and whether the caller must stop waiting.
    mutating func notificationEnded(
        of record: TaskRecord
    ) -> (removals: [ObserverRemoval], stopsWaiting: Bool) {
        let (stepsRemovals, stopsWaiting) = record.notifications.end()
        return (stepsRemovals ? observers.takeRemovals(of: record) : [], stopsWaiting)
    }

    /// Records when the observed job was started.
    mutating func startObserved(at time: EventTime) { observers.jobStarted(at: time) }
}
