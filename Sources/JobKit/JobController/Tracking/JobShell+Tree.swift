import Foundation
import Synchronization

/// Searches the tree of jobs upward and downward.
///
/// A search never goes further than necessary, because ten thousand jobs may be nested, created and
/// started in any order.
extension JobShell {
    /// Whether the job has undelivered tasks, without which it has no descendants.
    var hasTasks: Bool { taskCount > 0 }

    var taskCount: Int { ask { $0.machine.openCount } }

    var tasks: [Operation] { ask { $0.tasks.operations } }

    /// The jobs that wait for this one, started or not.
    var trackers: [JobShell] {
        ask { $0.job }.map { Self.tracking($0) } ?? []
    }

    // MARK: Ancestors

    /// Traps if `ancestor` is the job itself, or waits for it.
    func refuseAncestor(_ ancestor: JobController, of job: JobController) {
        guard ancestor !== job else {
            fatalError("JobKit: \(job.label) can't track itself.")
        }
        guard ancestor.shell.hasTasks else { return }
        guard !ancestor.shell.waits(for: job) else {
            fatalError(
                "JobKit: \(job.label) can't track \(ancestor.label), which waits for it."
            )
        }
    }

    /// Whether this job waits for another, through any chain of jobs.
    ///
    /// Searches up from the other job and down from this one by turns, until one search is
    /// complete. Therefore, a small tree below ten thousand jobs costs no more than a single job
    /// above them.
    private func waits(for job: JobController) -> Bool {
        var up = Walk(Self.tracking(job))
        var down = Walk([self])
        while let higher = up.next, let lower = down.next {
            guard higher !== self, lower !== job.shell else { return true }
            let cost = lower.taskCount
            if up.steps <= down.steps + cost {
                up.visited(higher.trackers)
            } else {
                let nested = lower.tasks.compactMap { $0.asJob?.shell }
                down.visited(nested, steps: cost)
            }
        }
        return false
    }
}
