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
            let (dropped, nested) = job.shell.remove(leaving, leave)
            drops += dropped
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
            let staying = record.shell.state.withLock { state in
                record.isSettled ? [] : state.observers.entries
            }
            for entry in staying { leaving.remove(ObjectIdentifier(entry.observer)) }
        }
        let own = job.shell.state.withLock { $0.observers.entries }
        for entry in own where entry.rootID == job.eventNumber {
            leaving.remove(ObjectIdentifier(entry.observer))
        }
        return leaving
    }

    private func news(
        of record: TaskRecord,
        for entries: [JobObservers.Entry],
        _ state: inout State
    ) -> TaskNews? {
        guard let task = record.task, let job = state.job ?? state.owner else { return nil }
        var news = self.news(of: record, task, by: job, &state)
        (news.entries, news.unaware) = (entries, 0..<0)
        return news
    }

    /// Removes observers; returns what they are to be told, and the jobs to go on with.
    private func remove(
        _ leaving: Set<ObjectIdentifier>,
        _ leave: ObserversLeave
    ) -> ([Drop], [JobController]) {
        state.withLock { state in
            let before = state.observers.entries
            let removed = state.observers.remove(leaving)
            guard !removed.isEmpty else { return ([], []) }
            let records = state.tasks.records
            var drops: [Drop] = []
            for record in records {
                let told = removed.filter { $0 < record.awareObservers }
                record.awareObservers -= Int32(told.count)
                guard !told.isEmpty, !record.isSettled,
                    let news = self.news(of: record, for: told.map { before[$0] }, &state)
                else { continue }
                switch record.change({ $0.observersLeft() }) {
                case .tellNow:
                    drops.append(Drop(shell: self, record: record, news: news))
                case .wait:
                    leave.expect()
                    state.observers.leaves[ObjectIdentifier(record), default: []].append(leave)
                case .knowEnd:
                    break
                }
            }
            return (drops, records.compactMap { $0.task as? JobController })
        }
    }

    /// Tells those of `entries` who left meanwhile that a task is dropped, and lets those go on who
    /// wait for it.
    func endLeave(
        of record: TaskRecord,
        telling entries: [JobObservers.Entry],
        then body: @escaping @Sendable () -> Void
    ) {
        let (news, leaves) = state.withLock { state in
            let staying = Set(state.observers.entries.map { ObjectIdentifier($0.observer) })
            let left = entries.filter { !staying.contains(ObjectIdentifier($0.observer)) }
            let news = self.news(of: record, for: left, &state)
            let leaves = state.observers.leaves.removeValue(forKey: ObjectIdentifier(record))
            return (news, leaves ?? [])
        }
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
