import Foundation

/// Who is to be told about an operation, and what it waits for; guarded by the operation's lock.
struct OperationHooks {
    /// The ``TaskQueue`` that the operation stands in, until it has finished.
    ///
    /// Not retained: a queue keeps itself as long as an operation stands in it. Of one reference that
    /// all threads count, the cache line would travel between cores twice for each operation.
    unowned(unsafe) var queue: TaskQueueEffects?
    /// Nil for nearly all operations: the clock, the maximum runtime and what sleeps.
    var timers: OperationTimers?
    /// Nil until a dependency is added.
    var readiness: Readiness?
    /// Nil until a dependency is added.
    var dependencies: OperationDependencies?
    private var listeners = Listeners()
    private(set) var isClosed = false
    private(set) var willNeverRun = false

    /// Who is to be told of the finish.
    struct Listeners {
        /// Stands by itself, because most operations have one subscriber and nothing else.
        var subscriber: TaskRecord?
        var others: Others?
    }

    /// In an optional of its own: an operation without pays for no array.
    struct Others {
        var subscribers: [TaskRecord] = []
        var dependents: [Readiness] = []
        var waiters: [FinishWaiter] = []
    }

    /// All subscribers, in the order in which they came.
    var subscribers: [TaskRecord] {
        (listeners.subscriber.map { [$0] } ?? []) + (listeners.others?.subscribers ?? [])
    }

    /// Whether a task waits for the operation.
    var isAwaited: Bool { listeners.others?.waiters.isEmpty == false }

    /// Returns false if the operation has finished.
    mutating func subscribe(_ subscriber: TaskRecord) -> Bool {
        guard !isClosed else { return false }
        if listeners.subscriber == nil {
            listeners.subscriber = subscriber
        } else {
            listeners.others = listeners.others ?? Others()
            listeners.others?.subscribers.append(subscriber)
        }
        return true
    }

    /// Returns false if there is nothing to wait for.
    mutating func addWaiter(_ waiter: FinishWaiter) -> Bool {
        guard !isClosed, !willNeverRun else { return false }
        listeners.others = listeners.others ?? Others()
        listeners.others?.waiters.append(waiter)
        return true
    }

    /// Returns false if the operation has finished, so that nobody has to wait for it.
    mutating func addDependent(_ readiness: Readiness) -> Bool {
        guard !isClosed else { return false }
        listeners.others = listeners.others ?? Others()
        listeners.others?.dependents.append(readiness)
        return true
    }

    /// Returns whether the dependent was still waiting.
    mutating func removeDependent(_ readiness: Readiness) -> Bool {
        let index = listeners.others?.dependents.firstIndex { $0 === readiness }
        guard let index else { return false }
        listeners.others?.dependents.remove(at: index)
        return true
    }

    /// Cancelled before `main()`: nobody waits any longer.
    mutating func cancelledBeforeMain() -> [FinishWaiter] {
        willNeverRun = true
        defer { listeners.others?.waiters = [] }
        return listeners.others?.waiters ?? []
    }

    /// What a finish takes out, to act on it with the lock released.
    struct Taken {
        let queue: TaskQueueEffects?
        let timers: OperationTimers?
        let listeners: Listeners
    }

    /// Takes out what a finish needs; nothing is added from now on.
    ///
    /// - Parameter takesQueue: Whether the queue is to be told by the caller; by its worker otherwise.
    /// - Returns: What there was.
    mutating func close(takesQueue: Bool) -> Taken {
        isClosed = true
        let taken = Taken(
            queue: takesQueue ? queue : nil,
            timers: timers,
            listeners: listeners
        )
        queue = nil
        listeners = Listeners()
        return taken
    }
}
