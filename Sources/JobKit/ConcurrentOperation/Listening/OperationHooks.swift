import Foundation

/// An operation's queue, listeners, timers and dependencies.
///
/// The lock of the operation guards them. Those of a plain operation, which has no timers, are in
/// ``PlainOperations``.
struct OperationHooks {
    /// The ``TaskQueue`` that contains the operation, until the operation has finished.
    ///
    /// Not retained, because a queue retains itself while it contains an operation. A reference
    /// count that all threads change would move its cache line between cores twice for each
    /// operation.
    unowned(unsafe) var queue: (any ContainingQueue)?
    /// None until a dependency is added or, for a plain operation, while its queue does not wait.
    var dependencies = Rare<OperationDependencies>()
    private(set) var subscribers = FinishSubscribers()
    /// The clock, the limits and the delays, of which nearly all operations have none.
    var timers = OperationTimers()
    private(set) var isClosed = false
    private(set) var willNeverRun = false

    /// Adds a listener, dependent or waiter.
    ///
    /// Returns false if the operation has finished.
    mutating func subscribe(_ add: (inout FinishSubscribers) -> Void) -> Bool {
        guard !isClosed else { return false }
        add(&subscribers)
        return true
    }

    /// Removes a listener or dependent, unless the operation has finished.
    ///
    /// After that, the notifying thread reads the subscribers that it took without the lock.
    mutating func unsubscribe(_ remove: (inout FinishSubscribers) -> Void) {
        if !isClosed { remove(&subscribers) }
    }

    /// Records that a queue contains the operation, unless another does or the operation has
    /// finished.
    ///
    /// - Parameters:
    ///   - newQueue: The queue.
    ///   - listener: Is added as a listener even if another queue contains the operation.
    /// - Returns: The reasons for which the queue does not contain the operation.
    mutating func enter(
        _ newQueue: any ContainingQueue,
        _ listener: OperationListener?
    ) -> (isElsewhere: Bool, isClosed: Bool) {
        if let listener { _ = subscribe { $0.add(listener) } }
        guard queue == nil else { return (true, isClosed) }
        if !isClosed { queue = newQueue }
        return (false, isClosed)
    }

    /// Removes the operation from its queue, if that is the given one.
    mutating func leave(_ left: any ContainingQueue) {
        if queue === left { queue = nil }
    }

    /// Whether the operation is in no queue, and has no listeners and dependents.
    var isEmpty: Bool { queue == nil && subscribers.isEmpty }

    /// Removes all dependencies, for which the operation no longer waits.
    mutating func takeDependencies() -> [OperationDependencies.Dependency] {
        dependencies.change { $0.removeAll() } ?? []
    }

    /// Marks the operation as cancelled before its start.
    ///
    /// - Returns: The waiters to resume, without those that wait for the finish only.
    mutating func cancelledBeforeStart() -> [FinishWaiter] {
        willNeverRun = true
        return subscribers.takeWaiters { !$0.isForFinishOnly }
    }

    /// Takes out the values that the completion needs with the lock released.
    ///
    /// From now on, nothing can be added.
    ///
    /// - Parameter takesQueue: Whether the caller notifies the queue. If not, the queue's worker
    ///   does.
    /// - Returns: The values.
    mutating func close(
        takesQueue: Bool
    ) -> (queue: (any ContainingQueue)?, subscribers: FinishSubscribers) {
        isClosed = true
        defer { queue = nil }
        // Moved out: a copy counts references.
        var taken = FinishSubscribers()
        swap(&taken, &subscribers)
        return (takesQueue ? queue : nil, taken)
    }
}
