import Foundation
import JobKit

/// Violations of the contract by a job of a world.
extension WorldJob {
    /// Whether a task that the job must wait for still runs.
    var hasRunningTasks: Bool {
        guard plan.maximumStopMicroseconds == nil, maximumStopTime == nil else { return false }
        return tasks.contains { tracked in
            tracked.cancellation == .cancelAndWait && !tracked.isShared && runs(tracked.task)
        }
    }

    private func runs(_ task: Operation) -> Bool {
        // A cancelled task that was not started runs nothing.
        !task.isFinished && (task.isExecuting || !task.isCancelled)
    }

    var account: String {
        "\(name ?? ""), \(outcome.map { "\($0)" } ?? "no outcome"): \(events)"
    }

    func complaints() -> [String] {
        guard isFinished else {
            // The code of a job that has ended may have created this job, which is then never
            // tracked. A job that is waited for and never started would keep the world from ending.
            return isExecuting || !events.isEmpty ? ["\(account) has not finished"] : []
        }
        var found: [String] = []
        let ending: StressOutcome =
            switch outcome {
            case .succeeded: .succeeded
            case .failed: .failed
            case .cancelled: .cancelled
            case nil: .none
            }
        var oracle = JobTreeOracle()
        oracle.mayEndUnseen = mayHaveEndedUnseen
        if let text = oracle.complaint(about: events, outcome: ending) { found.append(text) }
        if !mayHaveEndedUnseen {
            let expected = firstEnd ?? (isCancelled ? .cancelled : .succeeded)
            // A cancellation after the decision only sets `isCancelled` (O12).
            let isLate = firstEnd == nil && isCancelled && ending == .succeeded
            if ending != expected, !isLate, !isCancelled || ending != .cancelled {
                found.append("J8: \(ending), not \(expected)")
            }
        }
        if places.wasExceeded { found.append("J15: two of a group execute") }
        if ending == .succeeded, progress.fractionCompleted != 1 {
            found.append("R3: succeeded at \(progress.fractionCompleted)")
        }
        if hasRunningTasks { found.append("J4, J8: finished before its tasks") }
        return found.map { "\($0); \(account)" }
    }
}
