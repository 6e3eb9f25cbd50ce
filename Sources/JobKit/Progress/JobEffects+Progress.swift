import Foundation
import Synchronization

/// Reporting progress. A job counts its weights always, and reports only where somebody asked.
extension JobEffects {
    /// Has this job, and the jobs nested in it, report from now on.
    func reportProgress() {
        var remaining = [self]
        while let effects = remaining.popLast() {
            guard !effects.reportsProgress.exchange(true, ordering: .acquiringAndReleasing) else {
                continue
            }
            effects.progressChanged()
            remaining += effects.nestedJobs
        }
    }

    private var nestedJobs: [JobEffects] {
        state.withLock { $0.tasks.records.compactMap { ($0.task as? JobController)?.effects } }
    }

    /// A task was delivered: advances the progress of this job and of those above.
    func progressChanged() {
        guard reportsProgress.load(ordering: .acquiring) else { return }
        let (job, fraction) = state.withLock { ($0.job, $0.tally.fraction) }
        if let job { Self.advance(job, to: fraction) }
    }

    /// The job has succeeded.
    func progressCompleted(of job: JobController) {
        guard reportsProgress.load(ordering: .acquiring) else { return }
        Self.advance(job, to: 1)
    }

    private static func advance(_ job: JobController, to fraction: Double) {
        var remaining: [(job: JobController, fraction: Double)] = [(job, fraction)]
        while let (job, fraction) = remaining.popLast() {
            job.effects.state.withLock { $0.progress }?.advance(to: fraction)
            for record in job.hooks.withLock({ $0.subscribers }) {
                let parent = record.effects
                guard let raised = parent.taskAdvanced(record, to: fraction),
                    let above = parent.state.withLock({ $0.job })
                else { continue }
                remaining.append((above, raised))
            }
        }
    }

    /// A nested job has advanced; returns this job's fraction if it reports any.
    private func taskAdvanced(_ record: TaskRecord, to fraction: Double) -> Double? {
        guard reportsProgress.load(ordering: .acquiring) else { return nil }
        return state.withLock { state in
            guard record.task != nil, !record.isSettled, fraction > record.fraction else {
                return nil
            }
            state.tally.taskAdvanced(weight: record.weight, from: record.fraction, to: fraction)
            record.fraction = fraction
            return state.tally.fraction
        }
    }

    /// A job that reports tracks a job, which then reports too.
    func passOnProgress(to task: Operation) {
        guard reportsProgress.load(ordering: .acquiring) else { return }
        (task as? JobController)?.effects.reportProgress()
    }
}
