import Foundation

/// Who is to be told about an operation, and what it waits for; guarded by the operation's lock.
struct OperationHooks {
    /// The ``TaskQueue`` that the operation stands in, until it has finished.
    var queue: TaskQueueEffects?
    /// Nil for nearly all operations: the clock, the maximum runtime and what sleeps.
    var timers: OperationTimers?
    /// Nil until a dependency is added.
    var readiness: Readiness?
    var dependencies = OperationDependencies()
    private(set) var subscribers = Subscribers()
    private(set) var dependents: [Readiness] = []
    private var waiters: [FinishWaiter] = []
    private(set) var isClosed = false
    private(set) var willNeverRun = false

    /// The first subscriber stands inline, because most operations have just one.
    struct Subscribers {
        var first: FinishSubscriber?
        var rest: [FinishSubscriber] = []

        mutating func append(_ subscriber: FinishSubscriber) {
            if first == nil { first = subscriber } else { rest.append(subscriber) }
        }
    }

    /// Returns false if the operation has finished.
    mutating func subscribe(_ subscriber: FinishSubscriber) -> Bool {
        guard !isClosed else { return false }
        subscribers.append(subscriber)
        return true
    }

    /// Returns false if there is nothing to wait for.
    mutating func addWaiter(_ waiter: FinishWaiter) -> Bool {
        guard !isClosed, !willNeverRun else { return false }
        waiters.append(waiter)
        return true
    }

    /// Returns false if the operation has finished, so that nobody has to wait for it.
    mutating func addDependent(_ readiness: Readiness) -> Bool {
        guard !isClosed else { return false }
        dependents.append(readiness)
        return true
    }

    /// Returns whether the dependent was still waiting.
    mutating func removeDependent(_ readiness: Readiness) -> Bool {
        guard let index = dependents.firstIndex(where: { $0 === readiness }) else { return false }
        dependents.remove(at: index)
        return true
    }

    /// Cancelled before `main()`: nobody waits any longer.
    mutating func cancelledBeforeMain() -> [FinishWaiter] {
        willNeverRun = true
        defer { waiters = [] }
        return waiters
    }

    /// What a finish takes out, to act on it with the lock released.
    struct Taken {
        var queue: TaskQueueEffects?
        var timers: OperationTimers?
        var subscribers: Subscribers
        var dependents: [Readiness]
        var waiters: [FinishWaiter]
    }

    mutating func close() -> Taken {
        isClosed = true
        let taken = Taken(
            queue: queue,
            timers: timers,
            subscribers: subscribers,
            dependents: dependents,
            waiters: waiters
        )
        queue = nil
        subscribers = Subscribers()
        dependents = []
        waiters = []
        return taken
    }
}
