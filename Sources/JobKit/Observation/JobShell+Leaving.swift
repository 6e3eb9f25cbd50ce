import Foundation

/// What the observers of a job are told of a job in it that is left to itself: that all of its
/// tasks are dropped, and nothing more.
extension JobShell {
    /// A telling of the drop of a task, to those who leave.
    private struct Drop {
        let shell: JobShell
        let record: TaskRecord
        let news: TaskNews
    }

    /// The job above no longer waits for `job`: its observers leave, there and further down, unless
    /// another job that waits for it, or somebody who observes it, has them stay.
    ///
    /// - Parameters:
    ///   - job: The job that is left.
    ///   - entries: The observers of the job above.
    ///   - record: The record of `job` in the job above.
    ///   - told: Called when they were told that all tasks of `job` are dropped: at once, unless
    ///     some are just being told something else of one.
    static func leave(
        _ job: JobController,
        _ entries: [JobObservers.Entry],
        droppedBy record: TaskRecord,
        told: @escaping @Sendable () -> Void
    ) {
        let leave = ObserversLeave(told)
        var drops: [Drop] = []
        var remaining = [(job: job, entries: entries)]
        while let (job, entries) = remaining.popLast() {
            let leaving = leaving(entries, job, droppedBy: record)
            guard !leaving.isEmpty else { continue }
            let (dropped, nested) = job.shell.send { $0.observersLeave(leaving, leave) }
            drops += dropped.map { Drop(shell: job.shell, record: $0.record, news: $0.news) }
            remaining += nested.map { ($0, entries) }
        }
        // The innermost first.
        for drop in drops.reversed() {
            drop.news.tell(.dropped, at: .now)
            drop.shell.tellingEnded(about: drop.record, told: drop.news.entries)
        }
        leave.step()
    }

    /// Those of `entries` whom nobody has stay in a job.
    private static func leaving(
        _ entries: [JobObservers.Entry],
        _ job: JobController,
        droppedBy dropped: TaskRecord
    ) -> Set<ObjectIdentifier> {
        var leaving = Set(entries.map { ObjectIdentifier($0.observer) })
        for record in TaskRecord.tracking(job) where record !== dropped {
            let staying = record.shell.send { state in
                record.isSettled ? [] : state.observers.entries
            }
            for entry in staying { leaving.remove(ObjectIdentifier(entry.observer)) }
        }
        let own = job.shell.send { $0.observers.entries }
        for entry in own where entry.rootID == job.eventNumber {
            leaving.remove(ObjectIdentifier(entry.observer))
        }
        return leaving
    }

    /// Tells those of `entries` who left meanwhile that a task is dropped, and lets those go on who
    /// wait for it.
    func endLeave(
        of record: TaskRecord,
        telling entries: [JobObservers.Entry],
        then body: @escaping @Sendable () -> Void
    ) {
        let (news, leaves) = send { $0.leaveEnded(of: record, telling: entries) }
        // A job may have been given its observers only after those of the job above had left.
        tellDropped(record, news) {
            for leave in leaves { leave.step() }
            body()
        }
    }

    /// Tells that a task is dropped and, before that, all tasks of a job that is dropped.
    func tellDropped(
        _ record: TaskRecord,
        _ news: TaskNews?,
        then body: @escaping @Sendable () -> Void
    ) {
        guard let news, !news.entries.isEmpty else { return body() }
        guard let job = news.task as? JobController else {
            news.tell(.dropped, at: .now)
            return body()
        }
        Self.leave(job, news.entries, droppedBy: record) {
            news.tell(.dropped, at: .now)
            body()
        }
    }
}
