import Foundation

/// What is told about an operation, and what it waits for; guarded by the operation's lock.
struct OperationHooks {
    /// The ``TaskQueue`` that the operation stands in, until it has finished.
    ///
    /// Not retained: a queue keeps itself as long as an operation stands in it. The cache line of a
    /// count that all threads change would travel between cores twice for each operation.
    unowned(unsafe) var queue: (any QueueHome)?
    /// Nil for nearly all operations: the clock, the maximum runtime and what sleeps.
    var timers: OperationTimers?
    /// Nil until a dependency is added.
    var dependencyCount: DependencyCount?
    /// Nil until a dependency is added.
    var dependencies: OperationDependencies?
    private(set) var audience = FinishAudience()
    private(set) var isClosed = false
    private(set) var willNeverRun = false
    /// Whether a listener came that was not the first.
    private(set) var isShared = false
    private var hadListener = false

    /// Returns false if the operation has finished.
    mutating func add(_ listener: OperationListener) -> Bool {
        guard !isClosed else { return false }
        if hadListener { isShared = true }
        hadListener = true
        audience.add(listener)
        return true
    }

    /// Makes the operation stand in a queue, unless it stands in one already or has finished.
    ///
    /// - Parameters:
    ///   - home: The queue.
    ///   - listener: Hears of the finish, even where the operation stands in another queue.
    /// - Returns: Why it does not stand in the queue, if it does not.
    mutating func enter(
        _ home: any QueueHome,
        _ listener: OperationListener?
    ) -> (standsElsewhere: Bool, isClosed: Bool) {
        if let listener { _ = add(listener) }
        guard queue == nil else { return (true, isClosed) }
        if !isClosed { queue = home }
        return (false, isClosed)
    }

    /// Removes something that hears of the finish, unless the finish has come and is being told.
    ///
    /// - Parameter remove: Returns what is to be released with no lock held.
    /// - Returns: What that returns.
    mutating func removeFromAudience<Element: Sendable>(
        _ remove: (inout FinishAudience) -> [Element]
    ) -> [Element] {
        // The thread that tells of the finish reads without the lock what it took out.
        isClosed ? [] : remove(&audience)
    }

    /// Returns false if there is nothing to wait for.
    mutating func addWaiter(_ waiter: FinishWaiter) -> Bool {
        guard !isClosed, !willNeverRun else { return false }
        audience.add(waiter)
        return true
    }

    /// Returns false if the operation has finished, so that there is nothing to wait for.
    mutating func add(_ dependent: DependencyEdge) -> Bool {
        guard !isClosed else { return false }
        audience.add(dependent)
        return true
    }

    /// Cancelled before the start: no waiter waits any longer.
    mutating func cancelledBeforeStart() -> [FinishWaiter] {
        willNeverRun = true
        return audience.takeWaiters()
    }

    /// What a finish takes out, to act on it with the lock released.
    struct Taken {
        let queue: (any QueueHome)?
        let timers: OperationTimers?
        let audience: FinishAudience
    }

    /// Takes out what a finish needs; nothing is added from now on.
    ///
    /// - Parameter takesQueue: Whether the caller tells the queue; its worker does otherwise.
    /// - Returns: What there was.
    mutating func close(takesQueue: Bool) -> Taken {
        isClosed = true
        defer { queue = nil }
        // Moved out: a copy counts references.
        var taken = FinishAudience()
        swap(&taken, &audience)
        return Taken(queue: takesQueue ? queue : nil, timers: timers, audience: taken)
    }
}
