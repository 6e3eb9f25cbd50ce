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
        notification.postTracked()
        let nested = reportsStart(of: notification.task)
        notificationEnded()
        guard let nested else { return }
        let passed = passOn(notification.entries.map(\.observer), to: nested, isComplete: true)
        JobObservers.passOn(passed, isComplete: true)
    }

    /// Passes changes of the job's observers on to the task, which is a job.
    ///
    /// One thread may add an observer while another one removes it. Therefore, only one thread at a
    /// time passes observers on to a job, and it reads which of them this job has now. Neither input
    /// adds a task, so `send` puts none into a queue.
    func passOn(
        _ changed: [any JobObserver],
        to nested: JobController,
        isComplete: Bool,
        _ drop: WaitGroup? = nil
    ) -> JobState.ChangedObservers {
        nested.shell.features.insert(.observed)
        return nested.shell.passingOn.withLock { _ in
            let changes = shell.ask { $0.changes(of: changed, for: self) }
            return nested.shell.send {
                $0.observersChanged(changes, from: self, isComplete: isComplete, drop)
            }
        }
    }

    /// Notifies of an event, unless the job no longer waits for the task.
    ///
    /// `.tracked` is for observers that came later. `.delivered` comes only after `.finished`.
    func notify(_ kind: JobEvent.Kind) {
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

    /// Notifies that the job has dropped the task, after `begin(.dropped)`.
    ///
    /// If the task is a job, the observers that came through this job are removed from it first.
    /// They receive no further events of it or of anything below it (R2).
    func notifyDropped(_ notification: TaskNotification?) {
        let drop = WaitGroup { [self] in
            notification?.post(.dropped, at: .now)
            notificationEnded()
        }
        drop.enter()
        if let notification {
            let observers = notification.entries.map(\.observer)
            JobObservers.passOn((observers, [(self, notification.task)]), isComplete: false, drop)
        }
        drop.leave()
    }

    /// Performs the actions that had to wait while a thread was notifying observers.
    func notificationEnded() {
        let (drops, stopsWaiting) = shell.send { $0.notificationEnded(of: self) }
        for drop in drops { drop.leave() }
        if stopsWaiting {
            shell.stopWaiting(for: self)
            shell.deliverElsewhere()
        }
    }
}

extension JobObservers {
    /// Passes changes of observers on to some tasks, and to everything below them.
    ///
    /// Observers that are added are first notified that a nested job is tracked, because this comes
    /// before every event of the tasks below it (R2).
    ///
    /// - Parameters:
    ///   - changed: The observers and the tasks.
    ///   - isComplete: Whether observers are added that are notified of tasks that were tracked
    ///     before they came.
    ///   - drop: Waits for the threads that are notifying the observers.
    static func passOn(
        _ changed: JobState.ChangedObservers,
        isComplete: Bool,
        _ drop: WaitGroup? = nil
    ) {
        var remaining = [changed]
        while let (observers, tasks) = remaining.popLast() {
            for (record, task) in tasks {
                guard let nested = record.reportsStart(of: task) else { continue }
                if isComplete { record.notify(.tracked) }
                remaining.append(
                    record.passOn(observers, to: nested, isComplete: isComplete, drop)
                )
            }
        }
    }
}
