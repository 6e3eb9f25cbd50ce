import Foundation
import Synchronization

/// Lending (J12): a job that only waits for its tasks executes, and so takes a permit of its queue.
/// One of its tasks at a time may use that permit, through any chain of jobs: so no width makes a
/// job and its tasks wait for each other.
///
/// - The machine's ``TaskQueuePermits`` decides which entry may start with whose permit. It has to
///   know which jobs of the queue wait for an entry, its lenders, and which of them have nothing to
///   run.
/// - A task that is added looks for its lenders itself, up through the jobs that wait for it. A job
///   that is started later, or tracks a task that stands in a queue already, offers its permit to
///   all below it.
/// - A job's ``JobPermit`` says when it begins to wait and when it has code of its own to run.
///
/// As long as the width is unlimited and there is no barrier, permits suffice, and nothing is
/// asked.
extension TaskQueueShell {
    // MARK: When it matters

    /// The width, or the number of barriers, may have changed.
    @inline(__always)
    func noteWhetherItAsks(_ state: borrowing TaskQueueState) {
        let asks = state.machine.asksWhoWaits
        guard asksWhoWaits.load(ordering: .relaxed) != asks else { return }
        asksWhoWaits.store(asks, ordering: .sequentiallyConsistent)
    }

    /// Finds the lenders of all operations, when the width is limited while they stand here.
    func findWaitingJobs() {
        for operation in ask({ $0.machine.entries }) {
            lookForJobs(waitingFor: operation)
            if let job = operation as? any WaitingJob { send { $0.jobWaits(job) } }
        }
    }

    // MARK: Looking up: the lenders of a task

    /// The operation has its slot in this queue, whatever waits for it.
    func lookForJobs(waitingFor operation: Operation) {
        findLenders(of: operation)
    }

    /// Whether a job was started here and lives, other than the operation itself.
    private func hasStartedJobs(besides operation: Operation) -> Bool {
        let count = jobCount.load(ordering: .sequentiallyConsistent)
        guard count == 1 else { return count > 1 }
        return (operation as? any WaitingJob)?.holdsPermit(in: self) != true
    }

    /// Tells of the nearest jobs that stand in this queue: at or above a job, or without one, at or
    /// above all jobs that wait for the operation.
    private func findLenders(of operation: Operation, from job: (any WaitingJob)? = nil) {
        // In one order with ``ConcurrentOperation/isShared``.
        guard asksWhoWaits.load(ordering: .sequentiallyConsistent),
            hasStartedJobs(besides: operation)
        else { return }
        var found: [any WaitingJob] = []
        var level = job.map { [$0] } ?? operation.waitingJobs
        var seen: Set<ObjectIdentifier> = []
        while !level.isEmpty {
            var above: [any WaitingJob] = []
            for job in level where seen.insert(ObjectIdentifier(job)).inserted {
                if job.isExecuting, job.hooks.withLock({ $0.queue }) === self {
                    found.append(job)
                } else {
                    above += job.waitingJobs
                }
            }
            level = above
        }
        guard !found.isEmpty else { return }
        send { $0.jobsFound(found, waitingFor: operation) }
    }

    // MARK: Looking down: a job's offer

    /// Tells the queues of tasks, and of all that is below them, that a started job waits for them.
    ///
    /// Goes down through jobs that were started, because the others will do so when they are, and
    /// only while a queue has a lender above and none in between: there the nearest one counts.
    static func offerPermits(of first: any WaitingJob, to tasks: [Operation]) {
        var lenders: [TaskQueueShell]?
        var remaining = [(tasks: tasks, queues: [TaskQueueShell]?.none)]
        var seen: Set<ObjectIdentifier> = []
        while let (tasks, queues) = remaining.popLast() {
            for task in tasks {
                let queue = queue(of: task)
                if let queue, queues?.contains(where: { $0 === queue }) != false {
                    // No other job is looked for: thousands of them may wait for the task.
                    queue.findLenders(of: task, from: first)
                }
                // Most tasks have not been started: the cast takes longer than the question.
                guard let task = task as? ConcurrentOperation, task.isExecuting,
                    let job = task as? any WaitingJob, job.hasTasksToLendTo
                else { continue }
                if lenders == nil { lenders = lendingQueues(of: first) }
                let left = (queues ?? lenders ?? []).filter { $0 !== queue }
                guard !left.isEmpty, seen.insert(ObjectIdentifier(job)).inserted else { continue }
                remaining.append((job.tasksToLendTo, left))
            }
        }
    }

    /// The queues in which a job, or one that waits for it, has a permit to lend.
    private static func lendingQueues(of job: any WaitingJob) -> [TaskQueueShell] {
        var found: [ObjectIdentifier: TaskQueueShell] = [:]
        var walk = Walk<ConcurrentOperation>([job])
        while let job = walk.next {
            // Where the job stands alone there is nothing to lend to, and what comes looks for
            // lenders.
            if let queue = queue(of: job), queue.asksWhoWaits.load(ordering: .acquiring),
                queue.ask({ $0.machine.count > 1 })
            {
                found[ObjectIdentifier(queue)] = queue
            }
            walk.visited(job.waitingJobs)
        }
        return Array(found.values)
    }
}
