import Foundation

/// Notifies the observers of a job that all tasks of a nested job, which is left to itself, are
/// dropped; they are notified of nothing else of it.
enum DroppedJob {
    /// The job above no longer waits for `job`: its observers leave, there and further down, except
    /// those that another tracking job has too, and those that were added to it directly.
    ///
    /// - Parameters:
    ///   - job: The job that is left.
    ///   - entries: The observers of the job above.
    ///   - record: The record of `job` in the job above.
    ///   - body: Called when they were notified that all tasks of `job` are dropped: at once,
    ///     unless another thread is notifying some of them of one.
    static func leave(
        _ job: JobController,
        _ entries: [JobObservers.Entry],
        droppedBy record: TaskRecord,
        then body: @escaping @Sendable () -> Void
    ) {
        let leave = ObserversLeave(body)
        var drops: [(record: TaskRecord, notification: TaskNotification)] = []
        var remaining = [(job: job, entries: entries)]
        while let (job, entries) = remaining.popLast() {
            let leaving = leaving(entries, job, droppedBy: record)
            guard !leaving.isEmpty else { continue }
            let (dropped, nested) = job.shell.send { $0.observersLeave(leaving, leave) }
            drops += dropped
            remaining += nested.map { ($0, entries) }
        }
        // The innermost first.
        for drop in drops.reversed() {
            drop.notification.post(.dropped, at: .now)
            TaskNotifier(drop.record).ended()
        }
        leave.step()
    }

    /// The observers that no other tracking job keeps.
    private static func leaving(
        _ entries: [JobObservers.Entry],
        _ job: JobController,
        droppedBy dropped: TaskRecord
    ) -> Set<ObjectIdentifier> {
        var leaving = Set(entries.map { ObjectIdentifier($0.observer) })
        for record in TaskRecord.tracking(job) where record !== dropped {
            let staying = record.shell.ask { state in
                record.isAwaited ? state.observers.entries : []
            }
            for entry in staying { leaving.remove(ObjectIdentifier(entry.observer)) }
        }
        let own = job.shell.ask { $0.observers.entries }
        for entry in own where entry.rootID == job.eventNumber {
            leaving.remove(ObjectIdentifier(entry.observer))
        }
        return leaving
    }
}
