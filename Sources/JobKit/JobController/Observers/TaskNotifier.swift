/// Notifies a job's observers of the events of one task.
///
/// Never used for a job without observers.
struct TaskNotifier {
    let record: TaskRecord

    init(_ record: TaskRecord) { self.record = record }

    /// Notifies that the task is tracked, before any other event of the task.
    func taskTracked(_ notification: TaskNotification) {
        notification.post(.tracked, at: .now)
        guard let nested = ObserverTraversal.jobReporting(notification.task) else {
            return ended()
        }
        let tasks = endedAfterInheriting(notification.entries, by: nested, isComplete: true)
        ObserverTraversal.passOn(notification.entries, to: tasks, isComplete: true)
    }

    /// Passes observers on to the task, which is a job, unless its parent no longer waits for it.
    ///
    /// They are first notified that the task is tracked, so that they know it before the tasks
    /// below it (R2).
    ///
    /// - Returns: The tasks of that job, which must report to the observers next.
    func passOn(
        _ entries: [JobObservers.Entry],
        to nested: JobController,
        isComplete: Bool
    ) -> [JobState.Entry] {
        guard let notification = began(.tracked, at: .now) else { return [] }
        notification.post(.tracked, at: .now)
        return endedAfterInheriting(entries, by: nested, isComplete: isComplete)
    }

    /// Adds observers to a nested job, and then ends the notification.
    ///
    /// Until then, the parent does not drop the nested job. Therefore, no traversal that removes
    /// the observers because of the drop has passed before they are added.
    private func endedAfterInheriting(
        _ entries: [JobObservers.Entry],
        by nested: JobController,
        isComplete: Bool
    ) -> [JobState.Entry] {
        nested.shell.features.insert(.observed)
        let tasks = nested.shell.send { $0.inheritObservers(entries, isComplete: isComplete) }
        // If the parent has lost observers in the meantime, the traversal that removed them may
        // have reached the nested job too early.
        let known = record.shell.ask { $0.known(entries) }
        let lost = zip(entries, known).filter { $1 == nil }.map(\.0)
        let removal = ObserverRemoval { [self] in ended() }
        if !lost.isEmpty {
            ObserverTraversal.remove(lost, from: nested, droppedBy: record, removal)
        }
        removal.step()
        return tasks
    }

    /// Notifies of the task's start, unless the job no longer waits for the task.
    func taskStarted() { post(.started) }

    /// Notifies of the task's finish, unless the job no longer waits for the task.
    func taskFinished() { post(.finished) }

    private func post(_ kind: JobEvent.Kind) {
        let time = EventTime.now
        guard let notification = began(kind, at: time) else { return }
        notification.post(kind, at: time)
        ended()
    }

    @inline(__always)
    private func began(_ kind: JobEvent.Kind, at time: EventTime) -> TaskNotification? {
        // Not returned by `send`, which would copy the whole notification.
        var notification: TaskNotification?
        record.shell.send { notification = $0.eventBegan(kind, of: record, at: time) }
        return notification
    }

    /// Notifies that the task's callbacks have returned, if observers were notified of its finish.
    func taskDelivered() {
        guard record.change({ $0.beginDelivery() }) else { return }
        var notification: TaskNotification?
        record.shell.send { notification = $0.notification(of: record) }
        notification?.post(.delivered, at: .now)
        ended()
    }

    /// Notifies that the job has dropped the task, after `begin(endsTask:)`.
    ///
    /// If the task is a job, the observers that came through this job are removed from it first.
    /// They receive no further events of it or of anything below it (R2).
    func taskDropped(_ notification: TaskNotification?) {
        guard let notification, let nested = notification.nestedJob else {
            notification?.post(.dropped, at: .now)
            return ended()
        }
        let removal = ObserverRemoval { [self] in
            notification.post(.dropped, at: .now)
            ended()
        }
        ObserverTraversal.remove(notification.entries, from: nested, droppedBy: record, removal)
        removal.step()
    }

    /// Performs the actions that had to wait while a thread was notifying observers.
    func ended() {
        let action = record.change { $0.end() }
        if action.stepsRemovals {
            let removals = record.shell.send { $0.takeRemovals(of: record) }
            for removal in removals { removal.step() }
        }
        if action.stopsWaiting {
            record.shell.stopWaiting(for: record)
            record.shell.deliverElsewhere()
        }
    }
}
