import Foundation
import Synchronization

/// Looking up and down the tree of jobs, never further than there can be something to find: ten
/// thousand jobs may be nested, built and started in any order.
extension JobShell {
    /// Whether the job has undelivered tasks; otherwise it has no descendants.
    var hasTasks: Bool { taskCount > 0 }

    var taskCount: Int { ask { $0.machine.openCount } }

    var tasks: [Operation] { ask { $0.tasks.operations } }

    /// The jobs that wait for this one, started or not.
    var trackers: [JobShell] {
        ask { $0.owner.known }.map { Self.tracking($0) } ?? []
    }

    // MARK: Ancestors

    /// Traps if `task` is the job itself, or waits for it.
    func refuseAncestor(_ ancestor: JobController, of job: JobController) {
        guard ancestor !== job else {
            fatalError("JobKit: \(job.label) was told to track itself.")
        }
        guard ancestor.shell.hasTasks else { return }
        var search = AncestorSearch(above: job, for: ancestor)
        guard !search.findsTask() else {
            fatalError(
                "JobKit: \(job.label) was told to track \(ancestor.label), which waits for it."
            )
        }
    }
}
