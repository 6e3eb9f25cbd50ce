import Foundation

/// Who is to be told about an operation, and what it waits for; guarded by the operation's lock.
struct OperationHooks {
    /// The ``TaskQueue`` that the operation stands in, until it has finished.
    ///
    /// Not retained: a queue keeps itself as long as an operation stands in it. The cache line of a
    /// count that all threads change would travel between cores twice for each operation.
    unowned(unsafe) var queue: (any QueueHome)?
    /// Nil for nearly all operations: the clock, the maximum runtime and what sleeps.
    var timers: OperationTimers?
    /// Nil until a dependency is added.
    var readiness: Readiness?
    /// Nil until a dependency is added.
    var dependencies: OperationDependencies?
    private(set) var listeners = Listeners()
    private(set) var isClosed = false
    private(set) var willNeverRun = false
    /// Whether a subscriber came that was not the first.
    private(set) var isShared = false
    private var wasSubscribed = false

    /// Who is to be told of the finish.
    struct Listeners {
        /// Stands by itself, because most operations have one subscriber and nothing else.
        var subscriber: OperationListener?
        var others: Others?
    }

    /// In an optional of its own: an operation without pays for no array.
    struct Others {
        var subscribers = TaskSubscribers()
        var dependents = DependentEdges()
        var waiters: [FinishWaiter] = []
    }

    /// All subscribers, in the order in which they came.
    var subscribers: [OperationListener] {
        (listeners.subscriber.map { [$0] } ?? []) + (listeners.others?.subscribers.all ?? [])
    }

    /// The subscriber that came first, and the others: no array for the one that most have.
    var allSubscribers: (first: OperationListener?, others: [OperationListener]) {
        (listeners.subscriber, listeners.others?.subscribers.all ?? [])
    }

    /// Whether another operation waits for this one to finish.
    var hasDependents: Bool { listeners.others?.dependents.edges.isEmpty == false }

    /// Returns false if the operation has finished.
    mutating func subscribe(_ subscriber: OperationListener) -> Bool {
        guard !isClosed else { return false }
        if wasSubscribed { isShared = true }
        wasSubscribed = true
        // Its job may have ended meanwhile.
        guard subscriber.subscription == .none else { return true }
        subscriber.subscription = .stands
        if listeners.subscriber == nil, listeners.others?.subscribers.isEmpty != false {
            listeners.subscriber = subscriber
        } else {
            listeners.others = listeners.others ?? Others()
            listeners.others?.subscribers.append(subscriber)
        }
        return true
    }

    /// Makes the operation stand in a queue, unless it stands in one already or has finished.
    ///
    /// - Parameters:
    ///   - home: The queue.
    ///   - subscriber: Hears of the finish, even where the operation stands in another queue.
    /// - Returns: Why it does not stand in the queue, if it does not.
    mutating func enter(
        _ home: any QueueHome,
        _ subscriber: OperationListener?
    ) -> (standsElsewhere: Bool, isClosed: Bool) {
        if let subscriber { _ = subscribe(subscriber) }
        guard queue == nil else { return (true, isClosed) }
        if !isClosed { queue = home }
        return (false, isClosed)
    }

    /// A job hears of the finish no more, unless the finish has come and is being told.
    ///
    /// - Returns: What is to be released with no lock held: a record may be the last owner of what
    ///   a job that has gone was given.
    @discardableResult
    mutating func unsubscribe(_ subscriber: OperationListener) -> [OperationListener] {
        // The teller of the finish reads the subscriptions that it took out, without the lock.
        guard !isClosed else { return [] }
        let didStand = subscriber.subscription == .stands
        subscriber.subscription = .isOver
        if listeners.subscriber === subscriber {
            listeners.subscriber = nil
        } else if didStand {
            return listeners.others?.subscribers.subscriptionEnded() ?? []
        }
        return []
    }

    /// The first subscribers but for one of them.
    func subscribers(_ limit: Int, otherThan subscriber: OperationListener) -> [OperationListener] {
        if let first = listeners.subscriber, first !== subscriber {
            let rest = limit > 1 ? listeners.others?.subscribers : nil
            return [first] + (rest?.first(limit - 1, otherThan: subscriber) ?? [])
        }
        return listeners.others?.subscribers.first(limit, otherThan: subscriber) ?? []
    }

    /// Returns false if there is nothing to wait for.
    mutating func addWaiter(_ waiter: FinishWaiter) -> Bool {
        guard !isClosed, !willNeverRun else { return false }
        listeners.others = listeners.others ?? Others()
        listeners.others?.waiters.append(waiter)
        return true
    }

    /// Returns false if the operation has finished, so that there is nothing to wait for.
    mutating func addDependent(_ edge: DependencyEdge) -> Bool {
        guard !isClosed else { return false }
        listeners.others = listeners.others ?? Others()
        listeners.others?.dependents.insert(edge)
        return true
    }

    /// One of the dependents waits no longer.
    ///
    /// - Returns: What is to be released with no lock held: an edge may be the last owner of a
    ///   plain operation that waited.
    mutating func dependentRemoved() -> [DependencyEdge] {
        listeners.others?.dependents.edgeRemoved() ?? []
    }

    /// Cancelled before the start: no waiter waits any longer.
    mutating func cancelledBeforeStart() -> [FinishWaiter] {
        willNeverRun = true
        defer { listeners.others?.waiters = [] }
        return listeners.others?.waiters ?? []
    }

    /// What a finish takes out, to act on it with the lock released.
    struct Taken {
        let queue: (any QueueHome)?
        let timers: OperationTimers?
        let listeners: Listeners
    }

    /// Takes out what a finish needs; nothing is added from now on.
    ///
    /// - Parameter takesQueue: Whether the caller tells the queue; its worker does otherwise.
    /// - Returns: What there was.
    mutating func close(takesQueue: Bool) -> Taken {
        isClosed = true
        defer { queue = nil }
        // Moved out: a copy counts references.
        var taken = Listeners()
        swap(&taken, &listeners)
        return Taken(queue: takesQueue ? queue : nil, timers: timers, listeners: taken)
    }
}
