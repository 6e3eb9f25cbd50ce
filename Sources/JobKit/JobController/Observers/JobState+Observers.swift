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
        record.trackingIsNotified(to: notification.entries.count)
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
            record.change({ $0.begin(endsTask: kind == .finished) })
        else { return nil }
        record.eventIsNotified(
            to: notification.entries.count,
            startTime: kind == .started ? time : nil
        )
        return notification
    }

    // MARK: Adding and removing

    /// Adds an observer.
    ///
    /// - Returns: The tasks that must report to it, and whether it is also notified of tasks that
    ///   were tracked before.
    mutating func addObserver(
        _ observer: any JobObserver,
        rootID: Int
    ) -> (tasks: [Entry], isComplete: Bool) {
        let isComplete = !machine.isStarted
        observers.add(observer, rootID: rootID, isComplete: isComplete)
        return (entries, isComplete)
    }

    /// Adds the observers of an ancestor, and returns the tasks that must report to new ones.
    mutating func inheritObservers(
        _ inherited: [JobObservers.Entry],
        isComplete: Bool
    ) -> [Entry] {
        observers.inherit(inherited, isComplete: isComplete) ? entries : []
    }

    /// Removes observers from the job, or replaces them by those that another job passes on.
    ///
    /// - Parameters:
    ///   - ids: The observers to remove.
    ///   - replacing: The new entries of the observers that stay.
    ///   - removal: Waits for the threads that are notifying the removed observers.
    /// - Returns: The tasks that pass the change on.
    mutating func removeObservers(
        _ ids: Set<ObjectIdentifier>,
        replacing: [JobObservers.Entry],
        _ removal: ObserverRemoval?
    ) -> [Operation] {
        let isReplaced = observers.replace(replacing)
        let removed = observers.remove(ids)
        guard !removed.isEmpty else { return isReplaced ? operations : [] }
        for record in tasks.records {
            record.observersRemoved(removed.count { $0 < record.notifiedObservers })
            if let removal, record.change({ $0.observersRemoved() }) {
                observers.await(removal, of: record)
            }
        }
        return operations
    }

    /// Takes the removals that waited for the notifications of a task.
    mutating func takeRemovals(of record: TaskRecord) -> [ObserverRemoval] {
        observers.takeRemovals(of: record)
    }

    /// Records when the observed job was started.
    mutating func startObserved(at time: EventTime) { observers.jobStarted(at: time) }
}
