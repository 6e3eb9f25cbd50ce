import Foundation
import Synchronization

/// Looking up and down the tree of jobs, never further than there can be something to find: ten
/// thousand jobs may be nested, built and started in any order.
extension JobEffects {
    /// Whether the job tracks anything; one that never did is nobody's ancestor.
    var hasTasks: Bool { taskCount > 0 }

    private var taskCount: Int { state.withLock { $0.machine.openCount } }

    private var tasks: [Operation] { state.withLock { $0.tasks.records.compactMap(\.task) } }

    /// The jobs that wait for this one, started or not.
    private var trackers: [JobEffects] {
        state.withLock { $0.job ?? $0.owner }.map { Self.effectsTracking($0) } ?? []
    }

    // MARK: Ancestors

    /// Traps if `task` is the job itself, or waits for it.
    ///
    /// Looks up from the job and down from the task by turns, until one of both looks is complete:
    /// to put a little tree below ten thousand jobs costs no more than to put a job above them.
    func refuseAncestor(_ task: Operation, of job: JobController) {
        guard let ancestor = task as? JobController else { return }
        guard ancestor !== job else {
            fatalError("JobKit: \(job.label) was told to track itself.")
        }
        guard ancestor.effects.hasTasks else { return }
        var up = JobWalk(Self.effectsTracking(job))
        var down = JobWalk([ancestor.effects])
        while let higher = up.next, let lower = down.next {
            guard higher !== ancestor.effects, lower !== self else {
                fatalError(
                    "JobKit: \(job.label) was told to track \(ancestor.label), which waits for it."
                )
            }
            let cost = lower.taskCount
            if up.steps <= down.steps + cost {
                up.visited(higher.trackers)
            } else {
                let nested = lower.tasks.compactMap { ($0 as? JobController)?.effects }
                down.visited(nested, steps: cost)
            }
        }
    }

    // MARK: Lenders

    /// A task that may stand in a queue, or have tasks that do, is tracked now.
    ///
    /// A job that has not been started lends nothing; ``begin(_:mayEnterMain:)`` makes up for it.
    func offerPlaces(to task: Operation) {
        let hasBegun = state.withLock { $0.job != nil }
        if hasBegun { offerPlaces(to: [task]) }
    }

    /// The job was started: what was tracked before may run in the place that it has now.
    func offerPlacesToTasks() {
        offerPlaces(to: tasks)
    }

    /// Tells the queues of tasks, and of all that is below them, that there are more lenders.
    ///
    /// Goes down through jobs that were started, because the others will do so when they are, and
    /// only while a queue has a lender above and none in between: there the nearest one counts.
    private func offerPlaces(to tasks: [Operation]) {
        var lenders: [TaskQueueEffects]?
        var remaining = [(tasks: tasks, queues: [TaskQueueEffects]?.none)]
        var done: [ObjectIdentifier: [TaskQueueEffects]] = [:]
        while let (tasks, queues) = remaining.popLast() {
            for task in tasks {
                let queue = TaskQueueEffects.queue(of: task)
                queue?.trackerAdded(to: task)
                guard let job = task as? JobController, job.effects.hasBegunWithTasks else {
                    continue
                }
                if lenders == nil { lenders = lendingQueues }
                let id = ObjectIdentifier(job)
                let left = (queues ?? lenders ?? [])
                    .filter { candidate in
                        candidate !== queue && done[id]?.contains { $0 === candidate } != true
                    }
                guard !left.isEmpty else { continue }
                done[id, default: []] += left
                remaining.append((job.effects.tasks, left))
            }
        }
    }

    private var hasBegunWithTasks: Bool {
        state.withLock { $0.job != nil && $0.machine.openCount > 0 }
    }

    /// The queues in which this job, or one that waits for it, has a place to lend.
    private var lendingQueues: [TaskQueueEffects] {
        var found: [ObjectIdentifier: TaskQueueEffects] = [:]
        var walk = JobWalk([self])
        while let effects = walk.next {
            let job = effects.state.withLock { $0.job }
            // Where the job stands alone there is nobody to lend to, and who comes looks for lenders.
            if let queue = job.flatMap({ TaskQueueEffects.queue(of: $0) }),
                queue.asksForLenders.load(ordering: .acquiring),
                queue.state.withLock({ $0.machine.count > 1 })
            {
                found[ObjectIdentifier(queue)] = queue
            }
            walk.visited(job.map { Self.effectsTracking($0) } ?? [])
        }
        return Array(found.values)
    }
}
