import Foundation
import JobKit

/// Violations of the contract by a job of a random tree.
extension StressJob {
    /// Whether a task that the job must wait for still runs.
    var hasRunningTasks: Bool {
        tasks.contains { tracked in
            tracked.cancellation == .cancelAndWait && !tracked.isShared && runs(tracked.task)
        }
    }

    /// Whether a task that several jobs tracked still runs although none of them does.
    var hasRunningSharedTasks: Bool { tasks.contains { $0.isShared && runs($0.task) } }

    private func runs(_ task: Operation) -> Bool {
        // A cancelled task that was not started runs nothing.
        !task.isFinished && (task.isExecuting || !task.isCancelled)
    }

    var account: String { "\(name ?? "") at depth \(depth), \(ending): \(events)" }

    private var ending: StressOutcome {
        switch outcome {
        case .succeeded: .succeeded
        case .failed: .failed
        case .cancelled: .cancelled
        case nil: .none
        }
    }

    func complaints() -> [String] {
        var found = complaint.map { [$0] } ?? []
        guard isFinished else {
            return isUnderWay || !events.isEmpty
                ? found + ["has not finished; \(explainStall())"] : found
        }
        if wasCancelledBeforeStart.load(ordering: .acquiring), !events.isEmpty {
            found.append("O4: ran although it was cancelled before")
        }
        var oracle = JobTreeOracle()
        if let text = oracle.complaint(about: events, outcome: ending) { found.append(text) }
        let expected = firstEnd ?? (isCancelled ? .cancelled : .succeeded)
        // A cancellation after the decision only sets `isCancelled` (O12).
        let isLate = firstEnd == nil && isCancelled && ending == .succeeded
        if ending != expected, !isLate, !isCancelled || ending != .cancelled {
            found.append("J8: \(ending), not \(expected)")
        }
        if hasRunningSharedTasks { found.append("J17: no job waited for a shared task") }
        if places.wasExceeded { found.append("J15: two of a group execute") }
        let own = tasks.compactMap { $0.task as? StressTask }
        if own.contains(where: \.wasStartedWhileHeld) {
            found.append("J14: a held task was started")
        }
        return found + disorder()
    }

    /// J2: if one task clearly finished before another, it must have been delivered first.
    private func disorder() -> [String] {
        let delivered = events.compactMap { event -> StressTask? in
            // Tasks of the job above may have finished before they were tracked.
            guard case .delivered(let number) = event, number >= inherited.count else { return nil }
            let task = tasks[number].task as? StressTask
            return task?.wasQueued == true && task?.isCancelled == false ? task : nil
        }
        for (index, task) in delivered.enumerated() {
            for later in delivered[(index + 1)...] where later.finishedBefore(task) {
                return ["J2: not in the order finished"]
            }
        }
        return []
    }
}
