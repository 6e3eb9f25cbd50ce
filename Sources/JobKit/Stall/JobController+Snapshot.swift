import Foundation

extension JobController {
    /// Returns the job and its unfinished tasks as a value to send or show;
    /// ``explainStall(limit:)`` says the same in words.
    ///
    /// > Thread: Any. Takes no lock that a callback could hold.
    ///
    /// - Parameter limit: The maximum number of unfinished tasks, including those of nested jobs;
    ///   each job says how many of its own tasks were left out.
    /// - Returns: The job, with its tasks in the order tracked.
    public final func snapshot(limit: Int = 200) -> JobSnapshot {
        var drafts = [SnapshotDraft(self)]
        var waiting = drafts[0].tasks.reversed().map { (task: $0, parent: 0) }
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        while drafts.count <= limit, let (task, parent) = waiting.popLast() {
            let isNew = task is JobController && seen.insert(ObjectIdentifier(task)).inserted
            let draft = SnapshotDraft(task, isExpanded: isNew)
            drafts[parent].children.append(drafts.count)
            waiting += draft.tasks.reversed().map { ($0, drafts.count) }
            drafts.append(draft)
        }
        // Each stands behind its job: from the last to the first, what a job holds is made before
        // it.
        var made: [JobSnapshot?] = Array(repeating: nil, count: drafts.count)
        for index in drafts.indices.reversed() {
            let unfinished = drafts[index].children.compactMap { made[$0].take() }
            made[index] = drafts[index].snapshot(holding: unfinished)
        }
        return made[0] ?? drafts[0].snapshot(holding: [])
    }
}

/// What is known of one operation before its tasks' snapshots were made.
private struct SnapshotDraft {
    let operation: Operation
    /// The unfinished tasks of a job.
    let tasks: [Operation]
    /// Where those stand that are shown.
    var children: [Int] = []
    private let counts: TaskCounts
    private let fraction: Double

    init(_ operation: Operation, isExpanded: Bool = true) {
        self.operation = operation
        let state = (operation as? JobController)?.shell.snapshotState
        tasks = isExpanded ? state?.unfinished ?? [] : []
        counts = state?.counts ?? TaskCounts()
        fraction = state?.fraction ?? 0
    }

    func snapshot(holding unfinished: [JobSnapshot]) -> JobSnapshot {
        let outcome = operation.finalOutcome
        return JobSnapshot(
            id: operation.operationID,
            name: operationLabel(operation),
            type: TypeName.of(type(of: operation)),
            state: outcome?.description ?? (operation.isExecuting ? "executing" : "waiting"),
            fractionCompleted: outcome?.description == "succeeded" ? 1 : fraction,
            trackedCount: counts.tracked,
            finishedCount: counts.finished,
            failedCount: counts.failed,
            unfinished: unfinished,
            omittedCount: tasks.count - unfinished.count
        )
    }
}

extension Operation {
    /// How the operation ended; nil until it has finished.
    fileprivate var finalOutcome: OperationOutcome? {
        if let concurrent = self as? ConcurrentOperation { return concurrent.outcome }
        return isFinished ? isCancelled ? .cancelled : .succeeded : nil
    }
}

extension JobShell {
    /// What a snapshot says of a job, and its unfinished tasks in the order tracked.
    fileprivate var snapshotState: (counts: TaskCounts, fraction: Double, unfinished: [Operation]) {
        let (counted, fraction, tasks) = send {
            ($0.tasks.counts, $0.tally.fraction, $0.tasks.operations)
        }
        var counts = counted
        var unfinished: [Operation] = []
        for task in tasks {
            if task.isFinished {
                counts.taskFinished(hasFailed: (task as? ConcurrentOperation)?.error != nil)
            } else {
                unfinished.append(task)
            }
        }
        return (counts, fraction, unfinished)
    }
}
