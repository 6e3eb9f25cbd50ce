/// Notifies the observers of a job of what becomes of one of its tasks.
///
/// Nothing here is called for a job without observers.
struct TaskNotifier {
    let record: TaskRecord

    init(_ record: TaskRecord) { self.record = record }

    /// Notifies that the task is tracked, before any other event of it.
    func taskTracked(_ notification: TaskNotification) {
        notification.post(.tracked, at: .now)
        ObserverWalk.passOn(notification.entries, to: notification.task, isComplete: true)
        ended()
    }

    /// Notifies of the task's start, unless the job no longer waits for the task.
    func taskStarted() { post(.started) }

    /// Notifies of the task's finish, unless the job no longer waits for the task.
    func taskFinished() { post(.finished) }

    private func post(_ kind: JobEvent.Kind) {
        let time = EventTime.now
        // Not returned by `send`, which would copy all of it.
        var notification: TaskNotification?
        record.shell.send { notification = $0.eventBegan(kind, of: record, at: time) }
        guard notification != nil else { return }
        notification?.post(kind, at: time)
        ended()
    }

    /// Notifies that the task's callbacks have returned, if observers know its finish.
    func taskDelivered() {
        guard record.endIsNotified else { return }
        var notification: TaskNotification?
        record.shell.send { notification = $0.taskWasDelivered(record) }
        notification?.post(.delivered, at: .now)
    }

    /// Notifies that the job no longer waits for the task; `begin(endsTask:)` was called for that.
    func taskDropped(_ notification: TaskNotification?) {
        postDrop(notification) { ended() }
    }

    /// Does what could not be done while a thread was notifying observers.
    func ended() {
        switch record.change({ $0.end() }) {
        case .none:
            break
        case .notifyLeavers:
            notifyLeavers { ended() }
        case .stopWaiting:
            record.shell.stopWaiting(for: record)
            record.shell.deliverElsewhere()
        }
    }

    /// Notifies observers that have left that the task is dropped, and lets what waits for them go
    /// on.
    private func notifyLeavers(then body: @escaping @Sendable () -> Void) {
        let (notification, leaves) = record.shell.send { $0.leaveEnded(of: record) }
        // A job may have been given its observers only after those of the job above had left.
        postDrop(notification) {
            for leave in leaves { leave.step() }
            body()
        }
    }

    /// Notifies that the task is dropped; of a job, first that all of its tasks are dropped.
    private func postDrop(
        _ notification: TaskNotification?,
        then body: @escaping @Sendable () -> Void
    ) {
        guard let notification, !notification.entries.isEmpty else { return body() }
        guard let job = notification.task as? JobController else {
            notification.post(.dropped, at: .now)
            return body()
        }
        DroppedJob.leave(job, notification.entries, droppedBy: record) {
            notification.post(.dropped, at: .now)
            body()
        }
    }
}
