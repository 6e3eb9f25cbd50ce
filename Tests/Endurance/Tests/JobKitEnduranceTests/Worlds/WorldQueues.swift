import Foundation
import Synchronization

@testable import JobKit

/// Records when a rate-limited queue forwards operations (Q8).
final class RateNotes: OperationScheduling {
    private let queue: TaskQueue
    private let limit: Int
    private let interval: Duration
    private let times = Guarded([ContinuousClock.Instant]())

    init(_ queue: TaskQueue, limit: Int, per interval: Duration) {
        (self.queue, self.limit, self.interval) = (queue, limit, interval)
    }

    func addOperation(_ operation: Operation) {
        times.withLock { $0.append(.now) }
        queue.addOperation(operation)
    }

    /// A violation of the rate in any interval from the first forwarded operation, or nil.
    var complaint: String? {
        let times = times.withLock { $0 }
        for (first, last) in zip(times, times.dropFirst(limit)) where last - first < interval {
            return "Q8: \(limit + 1) in \(last - first)"
        }
        return nil
    }
}

/// A queue limited to 1 that compares every start with the waiting operations (Q2).
///
/// The queue chooses an operation after the previous one has ended and after the chosen one was
/// added. If another startable operation had been added by then, it must go first if it is more
/// urgent, or equally urgent and added earlier.
final class OrderedQueue: OperationScheduling {
    private struct Entry {
        let task: WorldTask
        let addBegins: Int
        var addReturns = Int.max
        var hasStarted = false
    }

    let queue = TaskQueue(name: "ordered", maxConcurrentOperationCount: 1)
    private let ticks = Atomic(0)
    private let state = Guarded((entries: [Entry](), lastEnd: 0, isOver: false))

    private var tick: Int { ticks.add(1, ordering: .sequentiallyConsistent).newValue }

    func addOperation(_ operation: Operation) {
        guard let task = operation as? WorldTask else { return queue.addOperation(operation) }
        let begins = tick
        state.withLock { state in
            if !state.isOver { state.entries.append(Entry(task: task, addBegins: begins)) }
        }
        queue.addOperation(operation)
        let returns = tick
        state.withLock { state in
            for place in state.entries.indices where state.entries[place].task === task {
                state.entries[place].addReturns = returns
            }
        }
    }

    /// Records that the task is about to end, which is the only way to release its permit.
    func ending(_ task: WorldTask) {
        let tick = tick
        state.withLock { state in
            guard state.entries.contains(where: { $0.task === task }) else { return }
            state.lastEnd = max(state.lastEnd, tick)
        }
    }

    /// Records that the task enters `main()`, and returns a task that should have gone first.
    func started(_ task: WorldTask) -> String? {
        state.withLock { state in
            guard let place = state.entries.firstIndex(where: { $0.task === task }) else {
                return nil
            }
            state.entries[place].hasStarted = true
            let own = state.entries[place]
            guard own.task.isOrderly else { return nil }
            let chosenAfter = max(own.addBegins, state.lastEnd)
            let urgency = own.task.queuePriority.rawValue
            for other in state.entries
            where !other.hasStarted && other.task.isOrderly && other.addReturns < chosenAfter
                && !other.task.isCancelled && !other.task.isFinished
            {
                let others = other.task.queuePriority.rawValue
                let isFirst = others == urgency && other.addReturns < own.addBegins
                if others > urgency || isFirst {
                    return "Q2: \(task.name ?? "") starts before \(other.task.name ?? "")"
                }
            }
            return nil
        }
    }

    /// Releases the tasks, which retain the world, and stops checking.
    func clear() { state.withLock { $0 = ([], 0, true) } }
}
