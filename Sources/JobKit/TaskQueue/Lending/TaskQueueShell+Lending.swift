import Foundation
import Synchronization

/// Finds the jobs that can lend their permits to tasks of this queue (J12).
///
/// A job that only waits for its tasks still executes, so it has a permit of its queue. One of its
/// tasks at a time may use that permit, through any chain of jobs. Therefore, a job and its tasks
/// never wait for each other, even in a queue limited to 1.
///
/// - The ``TaskQueueStateMachine`` decides which job lends its permit to which entry. It has
///   to know the lenders of an entry, which are the jobs of the queue that wait for it, and which
///   of them have nothing to run.
/// - A task that is added searches for its lenders itself, up through the jobs that wait for it. A
///   job that is started later, or tracks a task that is already in a queue, lends its permit to
///   everything below it.
/// - A job's ``JobPermit`` reports when the job begins to wait and when it has code to run.
///
/// While the queue is unlimited and has no barrier, permits are plentiful, so none of this happens.
extension TaskQueueShell {
    // MARK: When lending matters

    /// Updates the flag after the concurrency limit, or the number of barriers, may have changed.
    @inline(__always)
    func updateNeedsLending(_ state: borrowing TaskQueueState) {
        let needed = state.machine.needsLending
        guard needsLending.load(ordering: .relaxed) != needed else { return }
        needsLending.store(needed, ordering: .sequentiallyConsistent)
    }

    /// Finds the lenders of all operations, because the queue has just become limited.
    func findWaitingJobs() {
        for operation in ask({ $0.machine.entries() }) {
            findLenders(of: operation)
            if let job = operation.asLender { send { $0.jobWaits(job) } }
        }
    }

    // MARK: Searching up: the lenders of a task

    /// Reports the nearest jobs in this queue that wait for the operation.
    ///
    /// The search begins at `job` or, without one, at all jobs that wait for the operation, and
    /// goes up from there.
    func findLenders(of operation: Operation, from job: ConcurrentOperation? = nil) {
        guard needsLending.load(ordering: .sequentiallyConsistent),
            jobCount.load(ordering: .sequentiallyConsistent) > 0
        else { return }
        var found: [ConcurrentOperation] = []
        var walk = Walk(job.map { [$0] } ?? operation.waitingJobs)
        while let job = walk.next {
            let isLender = job.isExecuting && job.hooks.withLock { $0.queue } === self
            if isLender { found.append(job) }
            walk.visited(isLender ? [] : job.waitingJobs)
        }
        guard !found.isEmpty else { return }
        send { $0.jobsFound(found, waitingFor: operation) }
    }

    // MARK: Searching down: the tasks of a lender

    /// Reports a started job as a lender for tasks and for everything below them.
    ///
    /// Goes down only through started jobs, because the others will do the same when they
    /// start. Goes down only while a queue has a lender above and none in between, because only the
    /// nearest lender counts.
    static func lendPermits(of first: ConcurrentOperation, to tasks: [Operation]) {
        var lenders: [TaskQueueShell]?
        var remaining = [(tasks: tasks, queues: [TaskQueueShell]?.none)]
        var seen: Set<ObjectIdentifier> = []
        while let (tasks, queues) = remaining.popLast() {
            for task in tasks {
                let queue = queue(of: task)
                if let queue, queues?.contains(where: { $0 === queue }) != false {
                    // Other jobs are not searched, because thousands of them may wait for the task.
                    queue.findLenders(of: task, from: first)
                }
                guard let job = task.asLender, job.isExecuting, job.hasTasksToLendTo else {
                    continue
                }
                if lenders == nil { lenders = lendingQueues(of: first) }
                let left = (queues ?? lenders ?? []).filter { $0 !== queue }
                guard !left.isEmpty, seen.insert(ObjectIdentifier(job)).inserted else { continue }
                remaining.append((job.tasksToLendTo, left))
            }
        }
    }

    /// The queues in which a job, or one that waits for it, has a permit to lend.
    private static func lendingQueues(of job: ConcurrentOperation) -> [TaskQueueShell] {
        var found: [ObjectIdentifier: TaskQueueShell] = [:]
        var walk = Walk<ConcurrentOperation>([job])
        while let job = walk.next {
            // If the job is alone, there is nothing to lend to, and operations that are added later
            // search for lenders themselves.
            if let queue = queue(of: job), queue.needsLending.load(ordering: .acquiring),
                queue.ask({ $0.machine.count > 1 })
            {
                found[ObjectIdentifier(queue)] = queue
            }
            walk.visited(job.waitingJobs)
        }
        return Array(found.values)
    }
}
