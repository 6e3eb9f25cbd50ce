import Foundation

/// Creates notifications for observers, together with the input that causes them.
extension JobState {
    /// Creates the notification of a task's event.
    ///
    /// - Returns: Nil if there are no observers, or if the job or the task was released.
    @inline(__always)
    func notification(
        _ kind: JobEvent.Kind,
        of record: TaskRecord,
        causeID: Int? = nil
    ) -> TaskNotification? {
        guard !observers.isEmpty, !machine.hasFinished, let task = record.task,
            let job
        else { return nil }
        return TaskNotification(
            entries: observers.recipients(of: kind, after: record.notifiedNumber),
            knownNumber: kind == .delivered ? .max : record.notifiedNumber,
            job: job,
            task: task,
            taskID: record.isConcurrent
                ? unsafeDowncast(task, to: ConcurrentOperation.self).eventNumber
                : task.operationID,
            isConcurrent: record.isConcurrent,
            group: groups.groups[record.group],
            startTime: record.startTime,
            causeID: causeID,
            groupCauseID: record.submission.causeID
        )
    }

    /// Creates the notification that a task is tracked, and marks it as being sent.
    @inline(__always)
    func trackingBegan(_ record: TaskRecord) -> TaskNotification? {
        let isInCallback =
            ThreadContext.current.pointee.callbackJob == ObjectIdentifier(record.shell)
        return eventBegan(
            .tracked,
            of: record,
            at: .unknown,
            causeID: isInCallback ? observers.causeID : nil
        )
    }

    /// Creates the notification of a task's event, and marks it as being sent.
    ///
    /// - Returns: Nil if the job no longer waits for the task, or if observers were notified of its
    ///   end. For `.delivered`, nil if they were not.
    @inline(__always)
    func eventBegan(
        _ kind: JobEvent.Kind,
        of record: TaskRecord,
        at time: EventTime,
        causeID: Int? = nil
    ) -> TaskNotification? {
        guard kind == .delivered || record.isAwaited,
            let notification = notification(kind, of: record, causeID: causeID),
            record.notifications.begin(kind)
        else { return nil }
        record.notifiedNumber = observers.lastNumber
        if kind == .started { record.startTime = time }
        return notification
    }

    /// Ends a notification of a task's event.
    ///
    /// - Returns: The drops that have waited for it, and whether the caller must stop waiting.
    mutating func notificationEnded(
        of record: TaskRecord
    ) -> (drops: [WaitGroup], stopsWaiting: Bool) {
        let stopsWaiting = record.notifications.end()
        let isNotifying = record.notifications.isNotifying
        return (isNotifying ? [] : observers.takeDrops(of: record), stopsWaiting)
    }

    // MARK: Passing on

    /// Changes of some observers, which the job passes on to a task that is a job.
    func changes(of changed: [any JobObserver], for record: TaskRecord) -> [JobObservers.Change] {
        let isPassedOn = record.isAwaited && !record.notifications.endIsNotified
        return changed.map { ($0, isPassedOn ? observers.rootID(of: $0) : nil) }
    }

    /// Observers that have changed, and the tasks of the job that must report to them.
    typealias ChangedObservers = (observers: [any JobObserver], tasks: [Entry])

    /// Adds and removes observers.
    ///
    /// - Parameters:
    ///   - changes: The observers.
    ///   - source: The job's record in the job that passes them on, or nil.
    ///   - isComplete: Whether they are notified of tasks that were tracked before they came.
    ///   - drop: Waits for the threads that are notifying observers of a task.
    /// - Returns: The observers that the job must pass on to its tasks.
    mutating func observersChanged(
        _ changes: [JobObservers.Change],
        from source: TaskRecord?,
        isComplete: Bool,
        _ drop: WaitGroup? = nil
    ) -> ChangedObservers {
        let source = source.map { ObjectIdentifier($0) }
        let changed = observers.change(changes, from: source, isComplete: isComplete)
        guard !changed.isEmpty else { return ([], []) }
        if let drop {
            for record in tasks.records where record.notifications.isNotifying {
                observers.await(drop, of: record)
            }
        }
        return (changed, entries)
    }
}
