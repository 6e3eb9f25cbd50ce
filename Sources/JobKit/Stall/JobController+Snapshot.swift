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
        let (own, tasks) = JobSnapshot.read(self, limit: limit)
        var made = [own]
        var parents = [0]
        var waiting = tasks.reversed().map { (task: $0, parent: 0) }
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        while made.count <= limit, let (task, parent) = waiting.popLast() {
            let isNew = task.asJob != nil && seen.insert(ObjectIdentifier(task)).inserted
            let (snapshot, tasks) = JobSnapshot.read(task, limit: isNew ? limit - made.count : 0)
            waiting += tasks.reversed().map { ($0, made.count) }
            made.append(snapshot)
            parents.append(parent)
        }
        // Each task follows its job. Therefore, going from the last to the first completes the
        // tasks before their job.
        for index in made.indices.dropFirst().reversed() {
            made[index].unfinished.reverse()
            made[parents[index]].unfinished.append(made[index])
            made[parents[index]].omittedCount -= 1
        }
        made[0].unfinished.reverse()
        return made[0]
    }
}

extension JobSnapshot {
    /// Reads the state of an operation, without its tasks, and the first unfinished tasks of a job.
    fileprivate static func read(
        _ operation: Operation,
        limit: Int
    ) -> (snapshot: JobSnapshot, tasks: [Operation]) {
        let unfinished = operation.asJob.map { UnfinishedTasks(of: $0.shell, limit: limit) }
        let tasks = unfinished?.entries.map(\.task) ?? []
        // Read before the state, because it is below 1 until the operation has finished.
        let fraction = JobShell.fraction(of: operation)
        let state = State(of: operation)
        let snapshot = JobSnapshot(
            id: operation.operationID,
            name: operationLabel(operation),
            type: OperationName.ofType(Swift.type(of: operation)),
            state: state,
            fractionCompleted: state == .succeeded ? 1 : fraction,
            trackedCount: unfinished?.trackedCount ?? 0,
            finishedCount: unfinished?.finishedCount ?? 0,
            failedCount: unfinished?.failedCount ?? 0,
            unfinished: [],
            omittedCount: (unfinished?.omittedCount ?? 0) + tasks.count
        )
        return (snapshot, tasks)
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
