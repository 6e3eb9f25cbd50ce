import Foundation
import Synchronization

@testable import JobKit

/// Records when the operations of a rate-limited queue start (Q8).
///
/// An operation starts after it was forwarded, and before its listener has recorded the start.
final class RateNotes: OperationScheduling {
    private typealias Start = (earliest: ContinuousClock.Instant, latest: ContinuousClock.Instant)

    private let queue: TaskQueue
    private let limit: Int
    private let interval: Duration
    private let starts = Guarded([Start]())

    init(_ queue: TaskQueue, limit: Int, per interval: Duration) {
        (self.queue, self.limit, self.interval) = (queue, limit, interval)
    }

    func addOperation(_ operation: Operation) {
        _ = operation.addListener(StartListener(of: self))
        queue.addOperation(operation)
    }

    fileprivate func operationStarted(forwarded: ContinuousClock.Instant) {
        starts.withLock { $0.append((forwarded, .now)) }
    }

    /// A certain violation of the rate: more starts than the limit between the earliest time of one
    /// start and the latest time of another.
    var complaint: String? {
        let starts = starts.withLock { $0 }.sorted { $0.latest < $1.latest }
        for last in starts.indices.dropFirst(limit) {
            let window = starts[(last - limit)...last]
            guard let first = window.map(\.earliest).min() else { continue }
            let time = starts[last].latest - first
            if time < interval { return "Q8: \(limit + 1) in \(time)" }
        }
        return nil
    }
}

// The compiler does not check classes with subclasses. The properties are constant.
private final class StartListener: OperationListener, @unchecked Sendable {
    private let notes: RateNotes
    private let forwarded = ContinuousClock.now

    init(of notes: RateNotes) { self.notes = notes }

    override func operationStarts() { notes.operationStarted(forwarded: forwarded) }
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
