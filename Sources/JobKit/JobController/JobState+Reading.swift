import Foundation

/// Facts about a job that other code reads under the job's lock.
extension JobState {
    /// The job, started or not, while it is alive and may have tasks.
    var job: JobController? { startedJob ?? unstartedJob }

    /// The started job without a retain, for the thread that has the job's token.
    @inline(__always)
    var unretainedJob: Unmanaged<JobController>? { startedJob.map { .passUnretained($0) } }

    /// When the job began to end, or nil if it is not ending or has finished.
    var stopRequest: CoarseTime? {
        machine.ending != nil && !machine.hasFinished ? endRequestedAt : nil
    }

    /// A task with its record.
    typealias Entry = (record: TaskRecord, task: Operation)

    /// Whether the job was started and waits for tasks, which may borrow its permit.
    var hasTasksToLendTo: Bool { startedJob != nil && machine.openCount > 0 }
    /// The undelivered tasks with their records, in the same order.
    var entries: [Entry] {
        tasks.records.compactMap { record in record.task.map { (record, $0) } }
    }

    /// Whether the job has a task and has not ended.
    func isAwaited(_ record: TaskRecord) -> Bool { machine.ending == nil && record.task != nil }

    /// A group with its completion.
    func group(_ number: Int) -> (completion: (@Sendable () -> Void)?, group: JobGroup) {
        (groups.completions[number], groups.groups[number])
    }

    /// The job's context, or nil if neither the job nor an ancestor has one.
    var context: OperationContext? { contexts.current }

    /// The started job, and the fraction that it computes from its tasks.
    var jobAndFraction: (job: JobController?, fraction: Double) { (startedJob, tally.fraction) }

    /// The tasks and the work of an ending job that another thread is still cancelling.
    ///
    /// The job may already have stopped waiting for the `dropped` ones, which are cancelled next.
    var unreached: (cancelled: Cancelled, dropped: [Operation]) {
        guard machine.isReachingTasks else { return (([], nil), []) }
        let dropped = tasks.records.filter { !$0.isAwaited && !$0.isLeft }.compactMap(\.task)
        return ((tasksToCancel, work), dropped)
    }

    /// The record of the running callback's task, if it has one.
    var callbackRecord: TaskRecord? { callback?.action.message?.withRecord { $0 } ?? nil }

    // MARK: Observers

    /// The observers that were added to the job itself, and when it was started.
    func ownObservers(rootID: Int) -> (entries: [JobObservers.Entry], startTime: EventTime) {
        (observers.entries.filter { $0.rootID == rootID }, observers.startTime)
    }
}
