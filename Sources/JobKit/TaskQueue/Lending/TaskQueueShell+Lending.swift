import Foundation
import Synchronization

/// Lending: a job that only waits for its tasks executes, and so takes a place of its queue. One of
/// its tasks at a time may run in that place, through any chain of jobs: so no width makes a job
/// and its tasks wait for each other.
///
/// - The machine's ``TaskQueueLoans`` decides who may start in whose place. It has to know which
///   jobs of the queue wait for an entry, its lenders, and which of them have nothing to run.
/// - A task that is added looks for its lenders itself, up through the jobs that wait for it. A job
///   that is started later, or tracks a task that stands in a queue already, offers its place to
///   all below it.
/// - A job's ``LentPlace`` says when it begins to wait and when it has code of its own to run.
///
/// As long as the width is unlimited and there is no barrier, nobody needs a loan, and nobody asks.
extension TaskQueueShell {
    // MARK: When it matters

    /// The width, or the number of barriers, may have changed.
    @inline(__always)
    func noteWhetherLendersMatter(_ state: borrowing TaskQueueState) {
        let asks = state.machine.asksForLenders
        guard asksForLenders.load(ordering: .relaxed) != asks else { return }
        asksForLenders.store(asks, ordering: .sequentiallyConsistent)
    }

    /// Finds the lenders of all operations, when the width is limited while they stand here.
    func findAllLenders() {
        let operations = ask { $0.machine.entries }
        for operation in operations {
            lookForLenders(of: operation)
            if let job = operation as? ConcurrentOperation, job.onlyWaits { jobWaits(job) }
        }
    }

    // MARK: Looking up: the lenders of a task

    /// The operation has its place in this queue, whoever waits for it.
    func lookForLenders(of operation: Operation) {
        guard asksForLenders.load(ordering: .acquiring) else { return }
        lendersFound(
            in: operation.listeners.compactMap(\.waitingOperation),
            for: operation
        )
    }

    /// A started job waits for an operation that stands in this queue, directly or through jobs
    /// that do not lend to it.
    ///
    /// Nobody else is looked for: thousands of jobs may wait for one operation.
    private func offerPlaces(of job: ConcurrentOperation, to operation: Operation) {
        // In one order with ``ConcurrentOperation/isShared``.
        guard asksForLenders.load(ordering: .sequentiallyConsistent) else { return }
        lendersFound(in: [job], for: operation)
    }

    /// Tells of the nearest jobs that stand in this queue, at or above the jobs given.
    private func lendersFound(in jobs: [ConcurrentOperation], for operation: Operation) {
        let itself = (operation as? ConcurrentOperation)?.holdsPlace(in: self) == true ? 1 : 0
        guard jobCount.load(ordering: .sequentiallyConsistent) > itself else { return }
        var found: [ConcurrentOperation] = []
        var level = jobs
        var seen: Set<ObjectIdentifier> = []
        while !level.isEmpty {
            var above: [ConcurrentOperation] = []
            for job in level where seen.insert(ObjectIdentifier(job)).inserted {
                if job.isExecuting, job.hooks.withLock({ $0.queue }) === self {
                    found.append(job)
                } else {
                    above += job.listeners.compactMap(\.waitingOperation)
                }
            }
            level = above
        }
        guard !found.isEmpty else { return }
        send { $0.lendersFound(found, for: operation) }
    }

    // MARK: Jobs that wait

    /// The job has nothing to run until one of its tasks finishes.
    func jobWaits(_ job: ConcurrentOperation) {
        send { $0.jobWaits(job) }
    }

    /// The job is about to run code of its own.
    func jobBusy(_ job: ConcurrentOperation) {
        send { $0.jobBusy(job) }
    }

    // MARK: Looking down: a job's offer

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
                if let queue, queues?.contains(where: { $0 === queue }) != false {
                    queue.offerPlaces(of: first, to: task)
                }
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
