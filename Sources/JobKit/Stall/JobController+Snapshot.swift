import Foundation

extension JobController {
    /// Returns the job and its unfinished tasks as a value to send or show.
    ///
    /// ``explainStall(limit:)`` describes the same state as text.
    ///
    /// > Thread: Any. Takes no lock that a callback could hold.
    ///
    /// The counts and the fraction of ``progress`` cost the same for any number of tasks, and so
    /// does the list up to the limit. However, if the tasks of a job report their own progress, the
    /// first snapshot of the job reads each of them once.
    ///
    /// - Parameter limit: The maximum number of unfinished tasks, including those of nested jobs.
    ///   Each job has the number of its own tasks that were left out.
    /// - Returns: The job, with its tasks in the order tracked.
    public final func snapshot(limit: Int = 200) -> JobSnapshot {
        var drafts = [SnapshotDraft(self, limit: limit)]
        var waiting = drafts[0].tasks.reversed().map { (task: $0, parent: 0) }
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        while drafts.count <= limit, let (task, parent) = waiting.popLast() {
            let isNew = task is JobController && seen.insert(ObjectIdentifier(task)).inserted
            let draft = SnapshotDraft(task, limit: isNew ? limit - drafts.count : 0)
            drafts[parent].children.append(drafts.count)
            waiting += draft.tasks.reversed().map { ($0, drafts.count) }
            drafts.append(draft)
        }
        // Each draft follows the draft of its job. Therefore, going from the last to the first
        // creates the snapshots of tasks before that of their job.
        var made: [JobSnapshot?] = Array(repeating: nil, count: drafts.count)
        for index in drafts.indices.reversed() {
            let unfinished = drafts[index].children.compactMap { made[$0].take() }
            made[index] = drafts[index].snapshot(holding: unfinished)
        }
        return made[0] ?? drafts[0].snapshot(holding: [])
    }
}

/// The state of an operation, read before the snapshots of its tasks are created.
private struct SnapshotDraft {
    let operation: Operation
    /// The indices of the tasks' drafts.
    var children: [Int] = []
    private let unfinished: UnfinishedTasks?
    private let fraction: Double

    /// The first unfinished tasks of a job.
    var tasks: [Operation] { unfinished?.entries.map(\.task) ?? [] }

    init(_ operation: Operation, limit: Int) {
        self.operation = operation
        unfinished = (operation as? JobController)
            .map { UnfinishedTasks(of: $0.shell, limit: limit) }
        fraction = JobShell.fraction(of: operation)
    }

    func snapshot(holding shown: [JobSnapshot]) -> JobSnapshot {
        let state = JobSnapshot.State(of: operation)
        return JobSnapshot(
            id: operation.operationID,
            name: operationLabel(operation),
            type: OperationName.ofType(type(of: operation)),
            state: state,
            fractionCompleted: state == .succeeded ? 1 : fraction,
            trackedCount: unfinished?.trackedCount ?? 0,
            finishedCount: unfinished?.finishedCount ?? 0,
            failedCount: unfinished?.failedCount ?? 0,
            unfinished: shown,
            omittedCount: (unfinished?.omittedCount ?? 0) + tasks.count - shown.count
        )
    }
}

extension JobSnapshot.State {
    fileprivate init(of operation: Operation) {
        guard operation.isFinished else {
            self = operation.isExecuting ? .executing : .waiting
            return
        }
        self =
            switch operation.finalOutcome {
            case .succeeded: .succeeded
            case .failed: .failed
            case .cancelled: .cancelled
            }
    }
}
