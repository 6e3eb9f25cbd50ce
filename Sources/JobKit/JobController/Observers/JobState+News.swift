import Foundation

/// What observers are to be told of a task, taken together with the input that it belongs to.
extension JobState {
    /// What is to be told of a task, to all observers; nil if there are none, or the job or the
    /// task has gone.
    @inline(__always)
    func news(of record: TaskRecord) -> TaskNews? {
        guard !observers.isEmpty, !machine.hasFinished, let task = record.task,
            let job = owner.known
        else { return nil }
        return news(of: record, task, by: job)
    }

    @inline(__always)
    private func news(of record: TaskRecord, _ task: Operation, by job: JobController) -> TaskNews {
        TaskNews(
            entries: observers.entries,
            unaware: observers.unaware(of: Int(record.awareObservers)),
            job: job,
            task: task,
            taskID: record.isConcurrent
                ? unsafeDowncast(task, to: ConcurrentOperation.self).eventNumber
                : task.operationID,
            isConcurrent: record.isConcurrent,
            group: groups.groups[record.group],
            startTime: record.startTime,
            groupCauseID: record.admission.causeID
        )
    }

    /// A task is tracked: notes that its observers are being told of it, if there are any.
    @inline(__always)
    func trackingBegan(
        _ record: TaskRecord,
        _ task: Operation,
        by job: JobController
    ) -> TaskNews? {
        guard !observers.isEmpty else { return nil }
        var news = news(of: record, task, by: job)
        record.trackingIsTold(to: news.entries.count)
        news.unaware = 0..<0
        if ThreadContext.current.pointee.callbackJob == ObjectIdentifier(record.shell) {
            news.causeID = observers.causeID
        }
        return news
    }

    /// An event is about to be told of a task; nil if the job no longer waits for the task, or its
    /// end was told.
    @inline(__always)
    func eventBegan(
        _ kind: JobEvent.Kind,
        of record: TaskRecord,
        at time: EventTime
    ) -> TaskNews? {
        guard !record.isSettled, let news = news(of: record),
            record.change({ $0.begin(endsTask: kind == .finished) })
        else { return nil }
        record.eventIsTold(
            to: news.entries.count,
            startTime: kind == .started ? time : nil
        )
        return news
    }

    /// The callbacks of a task have returned, which observers are about to be told; nil if the job
    /// was given up meanwhile.
    mutating func deliveryIsTold(of record: TaskRecord) -> TaskNews? {
        guard !machine.isGivenUp else { return nil }
        delivery.observersAreTold()
        return news(of: record)
    }

    // MARK: Leaving

    /// Observers leave the job.
    ///
    /// - Returns: What they are to be told of its tasks, and the jobs to go on with.
    mutating func observersLeave(
        _ leaving: Set<ObjectIdentifier>,
        _ leave: ObserversLeave
    ) -> (drops: [(record: TaskRecord, news: TaskNews)], jobs: [JobController]) {
        let before = observers.entries
        let removed = observers.remove(leaving)
        guard !removed.isEmpty else { return ([], []) }
        let records = tasks.records
        var drops: [(record: TaskRecord, news: TaskNews)] = []
        for record in records {
            let told = removed.filter { $0 < record.awareObservers }
            record.observersLeft(told.count)
            guard !told.isEmpty, !record.isSettled,
                let news = news(of: record, for: told.map { before[$0] })
            else { continue }
            switch record.change({ $0.observersLeft() }) {
            case .tellNow: drops.append((record, news))
            case .wait(let tellsDrop):
                observers.await(leave, tellsDrop ? news.entries : [], toldOf: record)
            case .knowEnd: break
            }
        }
        return (drops, records.compactMap { $0.task as? JobController })
    }

    /// A telling has ended that observers which have left were waiting for.
    ///
    /// - Returns: That the task is dropped, for those that are to be told; and what waits for it.
    mutating func leaveEnded(
        of record: TaskRecord
    ) -> (news: TaskNews?, leaves: [ObserversLeave]) {
        let leaves = observers.takeLeaves(toldOf: record)
        return (news(of: record, for: leaves.flatMap(\.leavers)), leaves.map(\.leave))
    }

    private func news(of record: TaskRecord, for entries: [JobObservers.Entry]) -> TaskNews? {
        guard let task = record.task, let job = owner.known else { return nil }
        var news = news(of: record, task, by: job)
        (news.entries, news.unaware) = (entries, 0..<0)
        return news
    }
}
