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
        let tree = UnfinishedTree(of: self, limit: limit)
        var made = [JobSnapshot(of: self, tree.root)]
        made += tree.nodes.map { JobSnapshot(of: $0.stall.task, $0.tasks) }
        // Each task follows its job. Therefore, going from the last to the first completes the
        // tasks before their job.
        for index in made.indices.dropFirst().reversed() {
            made[index].unfinished.reverse()
            let job = tree.nodes[index - 1].level
            made[job].unfinished.append(made[index])
            made[job].omittedCount -= 1
        }
        made[0].unfinished.reverse()
        return made[0]
    }
}

extension JobSnapshot {
    /// Reads the state of an operation.
    ///
    /// All unfinished tasks of a job count as omitted at first.
    fileprivate init(of operation: Operation, _ tasks: UnfinishedTasks?) {
        // Read before the state, because it is below 1 until the operation has finished.
        let fraction = JobShell.fraction(of: operation)
        state = State(of: operation)
        id = operation.operationID
        name = operationLabel(operation)
        type = OperationName.ofType(Swift.type(of: operation))
        fractionCompleted = state == .succeeded ? 1 : fraction
        trackedCount = tasks?.trackedCount ?? 0
        finishedCount = tasks?.finishedCount ?? 0
        failedCount = tasks?.failedCount ?? 0
        unfinished = []
        omittedCount = tasks.map { $0.omittedCount + $0.entries.count } ?? 0
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
