import Foundation

/// An event of a task for some observers, read at one time under the job's lock.
///
/// For a job's own start and finish, `task` is the job itself.
struct TaskNotification: Sendable {
    let entries: [JobObservers.Entry]
    /// The number of the newest observer that was notified that the task is tracked.
    var knownNumber = Int32.max
    let job: JobController
    let task: Operation
    /// Read while the record holds the task, because a plain operation loses its number afterwards.
    let taskID: Int
    let isConcurrent: Bool
    let group: JobGroup?
    var startTime = EventTime.unknown
    /// The operation in whose callback the task is tracked.
    var causeID: Int?
    /// The task that gave this one its group permit, or 0.
    var groupCauseID = 0

    /// Notifies the observers of an event.
    ///
    /// Those that were not yet notified that the task is tracked are first notified of this.
    /// `.tracked` notifies only these.
    func post(_ kind: JobEvent.Kind, at time: EventTime) {
        if let newest = entries.last?.number, newest > knownNumber {
            let pending = entries.filter { $0.isPending(after: knownNumber) }
            if !pending.isEmpty { event(.tracked, at: time).post(to: pending, by: job) }
        }
        if kind != .tracked { event(kind, at: time).post(to: entries, by: job) }
    }

    /// Notifies all observers that a new task is tracked.
    func postTracked() { event(.tracked, at: .now).post(to: entries, by: job) }

    // Not inlined, because inlined code would copy the event before passing it on.
    @inline(never)
    private func event(_ kind: JobEvent.Kind, at time: EventTime) -> JobEvent {
        JobEvent(
            kind: kind,
            operationID: taskID,
            parentID: task === job ? nil : job.eventNumber,
            rootID: entries.first?.rootID ?? 0,
            outcome: kind == .finished ? concurrentTask?.outcome ?? task.finalOutcome : nil,
            isAbandoned: kind == .finished && concurrentTask?.isAbandoned == true,
            group: group,
            time: time,
            startTime: kind == .finished ? startTime : .unknown,
            causeID: causeID,
            predecessorIDs: kind == .started ? predecessorIDs : [],
            startCauses: kind == .started
                ? StartCauses(of: task, groupCauseID: groupCauseID) : StartCauses(),
            hasNeverRun: kind == .finished
                && concurrentTask?.currentLifecycle.contains(.entered) == false,
            operationName: OperationName(of: task)
        )
    }

    private var concurrentTask: ConcurrentOperation? {
        isConcurrent ? unsafeDowncast(task, to: ConcurrentOperation.self) : nil
    }

    /// The finished operations that the task depended on, or that its stage waited for.
    private var predecessorIDs: [Int] {
        concurrentTask?.predecessorIDs ?? task.dependencies.filter(\.isFinished).map(\.operationID)
    }
}
