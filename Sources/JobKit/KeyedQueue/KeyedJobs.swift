import Foundation
import Synchronization

/// Finds the jobs above the operations of a ``KeyedQueue``, which may lend to them (X4).
///
/// The state machine has, for each operation, the nearest jobs above it that are in the same queue,
/// whether they were passed on or not. They are found when the operation is added, and again when a
/// job starts or stops tracking it or a job above it.
enum KeyedJobs {
    /// Whether a job was ever added to a keyed queue.
    ///
    /// Before that, none is searched for.
    private static let isUsed = Atomic(false)

    static var exist: Bool { isUsed.load(ordering: .sequentiallyConsistent) }

    static func jobAdded() { isUsed.store(true, ordering: .sequentiallyConsistent) }

    /// Updates the jobs above an operation, and above all operations below it.
    static func changed(above operation: Operation) {
        guard exist else { return }
        var walk = Walk([operation])
        while let next = walk.next {
            for listener in next.heldListeners {
                (listener.queue as? KeyedQueueShell)?.findJobs(above: next, listener)
            }
            walk.visited(next.asLender?.tasksToLendTo ?? [])
        }
    }

    /// The jobs that track an operation, started or not, and the jobs above them.
    ///
    /// The order is breadth first, because the first job that can lend does so. The jobs above a
    /// job for which `isLast` is true are left out.
    static func above(
        _ operation: Operation,
        until isLast: (Operation) -> Bool = { _ in false }
    ) -> [Operation] {
        var (found, level, seen) = ([Operation](), [operation], Set<ObjectIdentifier>())
        while !level.isEmpty {
            let jobs = level.flatMap { $0.listeners }
                .compactMap(\.knownJob)
                .filter { seen.insert(ObjectIdentifier($0)).inserted }
            found += jobs
            level = jobs.filter { !isLast($0) }
        }
        return found
    }
}

extension KeyedQueueShell {
    /// Repeats until the state machine has the current jobs, because two threads may search at once.
    fileprivate func findJobs(above operation: Operation, _ listener: HeldListener) {
        var jobs: [HeldListener]
        repeat {
            jobs = jobsAbove(operation)
            send { [jobs] machine in
                guard let ticket = listener.ticket else { return }
                machine.jobsFound(jobs.compactMap(\.ticket), above: ticket)
            }
        } while !jobsAbove(operation).elementsEqual(jobs, by: ===)
    }

    private func jobsAbove(_ operation: Operation) -> [HeldListener] {
        KeyedJobs.above(operation) { self.listener(of: $0) != nil }
            .compactMap { self.listener(of: $0) }
    }

    private func listener(of operation: Operation) -> HeldListener? {
        operation.heldListeners.first { $0.queue === self }
    }
}

extension Operation {
    /// The queues that hold the operation, or have passed it on.
    fileprivate var heldListeners: [HeldListener] {
        // Most operations have none, and thousands of jobs may listen to one.
        guard mayBeHeld else { return [] }
        return listeners.compactMap { $0 as? HeldListener }
    }
}
