import Foundation

/// Notifies a job's observers of the events of one task.
///
/// Never used for a job without observers.
extension TaskRecord {
    /// Makes the task report its start, and returns it if it is a job, which has its own observers.
    func reportsStart(of task: Operation) -> JobController? {
        guard let concurrent = task.asConcurrent else { return nil }
        concurrent.setFlag(.observed)
        return concurrent.selfAsJob
    }

    /// Notifies that the task is tracked, before any other event of the task.
    func notifyTracked(_ notification: TaskNotification) {
        notification.post(.tracked, at: .now)
        guard let nested = reportsStart(of: notification.task) else { return notificationEnded() }
        let passed = endedAfterAdding(notification.entries, to: nested, isComplete: true)
        JobObservers.passOn(passed.entries, to: passed.tasks, isComplete: true)
    }

    /// Passes observers on to the task, which is a job, unless its parent no longer waits for it.
    ///
    /// They are first notified that the task is tracked, because this comes before every event of
    /// the tasks below it (R2).
    ///
    /// - Returns: The observers and tasks to which that job must pass them on.
    func passOn(
        _ entries: [JobObservers.Entry],
        to nested: JobController,
        isComplete: Bool
    ) -> JobState.PassedObservers {
        let time = EventTime.now
        guard let notification = began(.tracked, at: time) else { return ([], []) }
        notification.post(.tracked, at: time)
        return endedAfterAdding(entries, to: nested, isComplete: isComplete)
    }

    /// Adds observers to a nested job, and then ends the notification.
    ///
    /// Until then, the parent does not drop the nested job. Therefore, no traversal that removes
    /// the observers because of the drop has passed before they are added.
    private func endedAfterAdding(
        _ entries: [JobObservers.Entry],
        to nested: JobController,
        isComplete: Bool
    ) -> JobState.PassedObservers {
        nested.shell.features.insert(.observed)
        let added = entries.map { entry in
            var entry = entry
            entry.source = ObjectIdentifier(self)
            return entry
        }
        let passed = nested.shell.send { $0.addObservers(added, isComplete: isComplete) }
        // If the parent has lost observers in the meantime, the traversal that removed them may
        // have reached the nested job too early.
        let lost = shell.ask { state in
            added.filter { state.observers.entry(of: $0.observer) == nil }
        }
        let removal = ObserverRemoval { [self] in notificationEnded() }
        if !lost.isEmpty { JobObservers.remove(lost, from: nested, passedOnBy: self, removal) }
        removal.step()
        return passed
    }

    /// Notifies of the task's start, unless the job no longer waits for the task.
    func notifyStarted() { post(.started) }

    /// Notifies of the task's finish, unless the job no longer waits for the task.
    func notifyFinished() { post(.finished) }

    private func post(_ kind: JobEvent.Kind) {
        let time = EventTime.now
        guard let notification = began(kind, at: time) else { return }
        notification.post(kind, at: time)
        notificationEnded()
    }

    @inline(__always)
    private func began(_ kind: JobEvent.Kind, at time: EventTime) -> TaskNotification? {
        // Not returned by `send`, which would copy the whole notification.
        var notification: TaskNotification?
        shell.send { notification = $0.eventBegan(kind, of: self, at: time) }
        return notification
    }

    /// Notifies that the task's callbacks have returned, if observers were notified of its finish.
    func notifyDelivered() {
        var notification: TaskNotification?
        shell.ask { notification = $0.deliveryBegan(of: self) }
        guard let notification else { return }
        notification.post(.delivered, at: .now)
        notificationEnded()
    }

    /// Notifies that the job has dropped the task, after `begin(endsTask:)`.
    ///
    /// If the task is a job, the observers that came through this job are removed from it first.
    /// They receive no further events of it or of anything below it (R2).
    func notifyDropped(_ notification: TaskNotification?) {
        guard let notification, let nested = notification.task.asJob else {
            notification?.post(.dropped, at: .now)
            return notificationEnded()
        }
        let removal = ObserverRemoval { [self] in
            notification.post(.dropped, at: .now)
            notificationEnded()
        }
        JobObservers.remove(notification.entries, from: nested, passedOnBy: self, removal)
        removal.step()
    }

    /// Performs the actions that had to wait while a thread was notifying observers.
    func notificationEnded() {
        let (removals, stopsWaiting) = shell.send { $0.notificationEnded(of: self) }
        for removal in removals { removal.step() }
        if stopsWaiting {
            shell.stopWaiting(for: self)
            shell.deliverElsewhere()
        }
    }
}
