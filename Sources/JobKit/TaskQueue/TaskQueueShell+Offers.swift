import Foundation
import Synchronization

/// Jobs that come after their tasks: the queues of the tasks hear that there are more lenders.
///
/// A task that is added looks for its lenders itself, in ``trackerAdded(to:)``. A job that is
/// started later, or tracks a task that stands in a queue already, offers its place here.
extension TaskQueueShell {
    /// Tells the queues of tasks, and of all that is below them, that a started job waits for them.
    ///
    /// Goes down through jobs that were started, because the others will do so when they are, and
    /// only while a queue has a lender above and none in between: there the nearest one counts.
    static func offerPlaces(of first: ConcurrentOperation, to tasks: [Operation]) {
        var lenders: [TaskQueueShell]?
        var remaining = [(tasks: tasks, queues: [TaskQueueShell]?.none)]
        var done: [ObjectIdentifier: [TaskQueueShell]] = [:]
        while let (tasks, queues) = remaining.popLast() {
            for task in tasks {
                let queue = queue(of: task)
                queue?.trackerAdded(to: task)
                guard let job = task as? ConcurrentOperation, job.hasTasksToLendTo else {
                    continue
                }
                if lenders == nil { lenders = lendingQueues(of: first) }
                let id = ObjectIdentifier(job)
                let left = (queues ?? lenders ?? [])
                    .filter { candidate in
                        candidate !== queue && done[id]?.contains { $0 === candidate } != true
                    }
                guard !left.isEmpty else { continue }
                done[id, default: []] += left
                remaining.append((job.tasksToLendTo, left))
            }
        }
    }

    /// The queues in which a job, or one that waits for it, has a place to lend.
    private static func lendingQueues(of job: ConcurrentOperation) -> [TaskQueueShell] {
        var found: [ObjectIdentifier: TaskQueueShell] = [:]
        var walk = Walk([job])
        while let job = walk.next {
            // Where the job stands alone there is nobody to lend to, and who comes looks for
            // lenders.
            if let queue = queue(of: job), queue.asksForLenders.load(ordering: .acquiring),
                queue.hasCompany
            {
                found[ObjectIdentifier(queue)] = queue
            }
            walk.visited(job.listeners.compactMap(\.waitingOperation))
        }
        return Array(found.values)
    }

    private var hasCompany: Bool { ask { $0.machine.count > 1 } }
}
