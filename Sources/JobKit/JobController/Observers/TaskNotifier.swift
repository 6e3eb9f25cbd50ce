/// Notifies a job's observers of the events of one task.
///
/// Never used for a job without observers.
struct TaskNotifier {
    let record: TaskRecord

    init(_ record: TaskRecord) { self.record = record }

    /// Notifies that the task is tracked, before any other event of the task.
    func taskTracked(_ notification: TaskNotification) {
        notification.post(.tracked, at: .now)
        ObserverTraversal.passOn(notification.entries, to: notification.task, isComplete: true)
        guard let nested = notification.nestedJob else { return ended() }
        // If the job has lost observers since the notification was created, the traversal that
        // removed them may have reached the nested job too early.
        let known = record.shell.ask { $0.known(notification.entries) }
        let lost = zip(notification.entries, known).filter { $1 == nil }.map(\.0)
        guard !lost.isEmpty else { return ended() }
        let removal = ObserverRemoval { [self] in ended() }
        ObserverTraversal.remove(lost, from: nested, droppedBy: record, removal)
        removal.step()
    }

    /// Notifies of the task's start, unless the job no longer waits for the task.
    func taskStarted() { post(.started) }

    /// Notifies of the task's finish, unless the job no longer waits for the task.
    func taskFinished() { post(.finished) }

    private func post(_ kind: JobEvent.Kind) {
        let time = EventTime.now
        // Not returned by `send`, which would copy the whole notification.
        var notification: TaskNotification?
        record.shell.send { notification = $0.eventBegan(kind, of: record, at: time) }
        guard notification != nil else { return }
        notification?.post(kind, at: time)
        ended()
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
