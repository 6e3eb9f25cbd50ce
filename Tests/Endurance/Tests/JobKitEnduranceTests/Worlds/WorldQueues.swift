import Foundation
import Synchronization

@testable import JobKit

/// Notes when a rate hands operations on (Q8).
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

    /// What exceeds the rate in any stretch of the interval, from the time of the first hand-on.
    var complaint: String? {
        let times = times.withLock { $0 }
        for (first, last) in zip(times, times.dropFirst(limit)) where last - first < interval {
            return "Q8: \(limit + 1) in \(last - first)"
        }
        return nil
    }
}

/// A queue of width 1 of which every start is compared with what waits (Q2).
///
/// The choice of what starts comes after the end of what was started before, and after the start's
/// own addition. Whatever had been added by then and may start goes first if it is more urgent, or
/// as urgent and added before.
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

    /// The task is about to end, which alone gives its place away.
    func ending(_ task: WorldTask) {
        let tick = tick
        state.withLock { state in
            guard state.entries.contains(where: { $0.task === task }) else { return }
            state.lastEnd = max(state.lastEnd, tick)
        }
    }

    /// The task enters `main()`; returns what should have gone first.
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

    /// Lets go of the tasks, which hold the world, and follows none any more.
    func clear() { state.withLock { $0 = ([], 0, true) } }
}
