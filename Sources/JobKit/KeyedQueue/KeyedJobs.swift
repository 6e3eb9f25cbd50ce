import Foundation
import Synchronization

/// Finds the jobs above the operations of a ``KeyedQueue``, which may lend to them (X4).
///
/// When an operation is added, its ancestors are found through the jobs that track it. If a job
/// starts or stops tracking a task, the ancestors of the task and of all operations below it are
/// found again. For each operation, the state machine has the nearest jobs above it that are in the
/// same queue, whether they were passed on or not.
enum KeyedJobs {
    /// Whether a job was ever added to a keyed queue.
    ///
    /// Before that, none is searched for.
    private static let isUsed = Atomic(false)

    static var exist: Bool { isUsed.load(ordering: .sequentiallyConsistent) }

    static func jobAdded() { isUsed.store(true, ordering: .sequentiallyConsistent) }

    /// Updates the jobs above an operation, and above all operations below it.
    static func changed(above operation: Operation) {
        var walk = Walk([operation])
        while let next = walk.next {
            for listener in next.heldListeners {
                (listener.queue as? KeyedQueueShell)?.findJobs(above: next, listener)
            }
            walk.visited((next as? any WaitingJob)?.tasksToLendTo ?? [])
        }
    }
}

extension KeyedQueueShell {
    fileprivate func findJobs(above operation: Operation, _ listener: HeldListener) {
        let jobs = listenersAbove(operation)
        send { machine in
            guard let ticket = listener.ticket else { return }
            machine.jobsFound(jobs.compactMap(\.ticket), above: ticket)
        }
    }

    /// The tickets of the nearest jobs above an operation that are in this queue.
    func ticketsAbove(_ operation: Operation) -> [TaskQueueTicket] {
        let jobs = listenersAbove(operation)
        return ask { _ in jobs.compactMap(\.ticket) }
    }

    private func listenersAbove(_ operation: Operation) -> [HeldListener] {
        guard KeyedJobs.exist else { return [] }
        var found: [HeldListener] = []
        // Breadth first, because the first job that can lend does so.
        var (jobs, next, seen) = (operation.jobsAbove, 0, Set<ObjectIdentifier>())
        while next < jobs.count {
            let job = jobs[next]
            next += 1
            guard seen.insert(ObjectIdentifier(job)).inserted else { continue }
            if let listener = job.heldListeners.first(where: { $0.queue === self }) {
                found.append(listener)
            } else {
                jobs += job.jobsAbove
            }
        }
        return found
    }
}

extension Operation {
    fileprivate var heldListeners: [HeldListener] { listeners.compactMap { $0 as? HeldListener } }

    /// The jobs that track the operation, started or not.
    fileprivate var jobsAbove: [Operation] {
        listeners.compactMap { ($0 as? any WaitingJobListener)?.knownJob }
    }
}
