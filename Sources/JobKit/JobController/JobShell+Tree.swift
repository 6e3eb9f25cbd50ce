import Foundation
import Synchronization

/// Looking up and down the tree of jobs, never further than there can be something to find: ten
/// thousand jobs may be nested, built and started in any order.
extension JobShell {
    /// Whether the job has ever tracked anything; otherwise it has no descendants.
    var hasTasks: Bool { taskCount > 0 }

    private var taskCount: Int { send { $0.machine.openCount } }

    var tasks: [Operation] { send { $0.tasks.operations } }

    /// The jobs that wait for this one, started or not.
    private var trackers: [JobShell] {
        send { $0.owner.known }.map { Self.tracking($0) } ?? []
    }

    // MARK: Ancestors

    /// Traps if `task` is the job itself, or waits for it.
    ///
    /// Looks up from the job and down from the task by turns, until one of the two looks is
    /// complete. So a small tree below ten thousand jobs costs no more than a job above them.
    func refuseAncestor(_ task: Operation, of job: JobController) {
        guard let ancestor = task as? JobController else { return }
        guard ancestor !== job else {
            fatalError("JobKit: \(job.label) was told to track itself.")
        }
        guard ancestor.shell.hasTasks else { return }
        var up = Walk(Self.tracking(job))
        var down = Walk([ancestor.shell])
        while let higher = up.next, let lower = down.next {
            guard higher !== ancestor.shell, lower !== self else {
                fatalError(
                    "JobKit: \(job.label) was told to track \(ancestor.label), which waits for it."
                )
            }
            let cost = lower.taskCount
            if up.steps <= down.steps + cost {
                up.visited(higher.trackers)
            } else {
                let nested = lower.tasks.compactMap { ($0 as? JobController)?.shell }
                down.visited(nested, steps: cost)
            }
        }
    }

    // MARK: Lending

    /// A task that may stand in a queue, or have tasks that do, is tracked now.
    ///
    /// A job that has not been started lends nothing; ``begin(_:mayEnterMain:)`` makes up for it.
    func offerPlaces(to task: Operation) {
        if let job = startedJob { TaskQueueShell.offerPlaces(of: job, to: [task]) }
    }

    var hasBegunWithTasks: Bool {
        send { $0.owner.started != nil && $0.machine.openCount > 0 }
    }
}
