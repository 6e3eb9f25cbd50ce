import Foundation

/// Access to JobKit's state of an operation of any class.
///
/// A ``ConcurrentOperation`` stores this state itself. For a plain operation, which is one of any
/// other class, `PlainOperations` stores it.
extension Operation {
    /// The operation's number in events, snapshots and timelines, unique in the process.
    ///
    /// > Thread: Any.
    public var operationID: Int {
        (self as? ConcurrentOperation)?.eventNumber ?? PlainOperations.number(of: self)
    }

    // MARK: Listeners

    /// The listeners, in the order added.
    var listeners: FinishSubscribers.Listeners {
        withSubscribers { $0.listeners } ?? FinishSubscribers().listeners
    }

    /// The first listeners, except the given one.
    func listeners(_ limit: Int, otherThan other: OperationListener) -> [OperationListener] {
        withSubscribers { $0.listeners(limit, otherThan: other) } ?? []
    }

    /// Reads the subscribers of the operation.
    ///
    /// Returns nil for a plain operation without stored state.
    private func withSubscribers<Answer: Sendable>(
        _ question: @Sendable (FinishSubscribers) -> Answer
    ) -> Answer? {
        guard let concurrent = self as? ConcurrentOperation else {
            return PlainOperations.withEntry(self) { question($0.subscribers) }
        }
        return concurrent.hooks.withLock { question($0.subscribers) }
    }

    /// The context of the first tracking job that has one.
    ///
    /// Each listener is read only once per pass, because its job may end at the same time. A job
    /// that ends leaves its context to another listener, which the second pass finds.
    var firstContext: OperationContext? {
        for _ in 0..<2 {
            for listener in listeners {
                if let context = listener.context { return context }
            }
        }
        return nil
    }

    /// Adds a listener, unless it was removed before.
    ///
    /// - Returns: False if the operation has finished.
    func addListener(_ listener: OperationListener) -> Bool {
        (self as? ConcurrentOperation)?.addingListener { $0.add(listener) }
            ?? PlainOperations.add(listener, to: self)
    }

    /// Removes a listener, which cannot be added again.
    func removeListener(_ listener: OperationListener) {
        removeSubscriber { $0.remove(listener) }
    }

    /// Removes a listener or dependent, and releases the removed objects with no lock held.
    private func removeSubscriber<Element: Sendable>(
        _ remove: (inout FinishSubscribers) -> [Element]
    ) {
        guard let concurrent = self as? ConcurrentOperation else {
            return PlainOperations.remove(from: self, remove)
        }
        let released = concurrent.hooks.withLock { $0.removeSubscriber(remove) }
        withExtendedLifetime(released) {}
    }

    // MARK: Dependents

    /// Adds an edge that ends when the operation finishes.
    ///
    /// Returns false if it has finished.
    func addDependent(_ dependent: DependencyEdge) -> Bool {
        (self as? ConcurrentOperation)?.hooks.withLock { $0.add(dependent) }
            ?? PlainOperations.add(dependent, to: self)
    }

    /// Removes an edge that has ended before the operation has finished.
    func dependentLeft() { removeSubscriber { $0.dependentLeft() } }

    // MARK: Queues

    /// The JobKit queue that contains the operation.
    var containingQueue: (any ContainingQueue)? {
        guard let concurrent = self as? ConcurrentOperation else {
            return PlainOperations.withEntry(self) { $0.queue }
        }
        return concurrent.hooks.withLock { $0.queue }
    }

    /// The operation's slot in its queue, or a number below 0 if it has none.
    ///
    /// The caller must hold the lock of the queue.
    var slotInQueue: Int {
        (self as? ConcurrentOperation).map { Int($0.queueSlot) }
            ?? PlainOperations.withEntry(self) { $0.ticket?.slot } ?? -1
    }

    /// Records that a queue contains the operation, unless it was started or is in another queue.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - startsIt: Whether the queue starts the operation itself and therefore detects its
    ///     completion.
    ///   - listener: Is added as a listener even if this queue does not contain the operation.
    /// - Returns: Whether the queue contains the operation, and if not, the reason.
    @inline(__always)
    func enter(
        _ queue: any PollingQueue,
        startsIt: Bool,
        _ listener: OperationListener?
    ) -> QueueEntry {
        guard self is ConcurrentOperation else {
            return PlainOperations.enter(self, queue, startsIt: startsIt, listener)
        }
        let concurrent = unsafeDowncast(self, to: ConcurrentOperation.self)
        let (isElsewhere, isClosed) = concurrent.addingListener { $0.enter(queue, listener) }
        concurrent.setFlag(.queued)
        let hasStarted = concurrent.currentLifecycle.contains(.started)
        if hasStarted, !isElsewhere { concurrent.hooks.withLock { $0.queue = nil } }
        return QueueEntry(
            isElsewhere: isElsewhere,
            hasStarted: hasStarted,
            hasFinished: hasStarted && isClosed
        )
    }

    /// Removes the operation from a queue before its start.
    ///
    /// From then on, Foundation takes part in the decision when the operation is ready.
    func leave(_ queue: any PollingQueue) {
        guard let concurrent = self as? ConcurrentOperation else {
            return PlainOperations.leave(queue, self)
        }
        concurrent.hooks.withLock { hooks in
            if hooks.queue === queue { hooks.queue = nil }
        }
        concurrent.clearFlag(.queued)
    }

    // MARK: Life

    /// Whether the operation was started.
    ///
    /// False for a plain operation whose start is just beginning.
    var hasStarted: Bool {
        (self as? ConcurrentOperation)?.currentLifecycle.contains(.started)
            ?? (isFinished || isExecuting)
    }

    /// The outcome of an operation that has finished.
    ///
    /// A plain operation cannot fail.
    var finalOutcome: OperationOutcome {
        (self as? ConcurrentOperation)?.outcome ?? (isCancelled ? .cancelled : .succeeded)
    }

    /// Whether the operation has finished, but its class, which is the user's, has never announced
    /// it.
    ///
    /// In this case, the listener is still waiting for the notification.
    func hasFinishedUnannounced(to listener: OperationListener) -> Bool {
        guard !(self is ConcurrentOperation), !(self is BlockOperation), isFinished else {
            return false
        }
        return listeners.contains { $0 === listener }
    }

    /// Makes the operation run inside a context if it has not been started.
    ///
    /// - Parameters:
    ///   - context: The context of a job that leaves the operation.
    ///   - isStarted: Whether a JobKit queue will certainly start the operation. Otherwise, a plain
    ///     operation might never be started, and would then be retained for the context.
    func keep(_ context: KeptContext, isStarted: Bool) {
        if let concurrent = self as? ConcurrentOperation {
            // Its code is already running inside the context.
            if concurrent.currentLifecycle.contains(.entered) { return }
        } else if !isStarted {
            return PlainOperations.keep(context, for: self)
        }
        _ = addListener(context)
    }

    // MARK: Cancelling

    /// Whether code of a barred operation may run or may have run.
    ///
    /// - Parameter wasQueued: Whether its job may have put it into a queue.
    /// - Returns: For a plain operation, true if that is uncertain.
    func mayRunThoughBarred(wasQueued: Bool) -> Bool {
        guard let concurrent = self as? ConcurrentOperation else {
            return wasQueued || isExecuting || isFinished
        }
        return concurrent.currentLifecycle.contains(.started)
    }

    /// Whether the operation, if cancelled before its start, can be ended without calling user
    /// code.
    var endsWithoutUserCode: Bool {
        self is ConcurrentOperation || type(of: self) == BlockOperation.self
    }

    /// Finishes a cancelled operation that no queue starts, because others may wait for it.
    func startCancelled() {
        guard isCancelled, !isFinished, !isExecuting else { return }
        guard let concurrent = self as? ConcurrentOperation else {
            // Foundation traps if an operation is started while its `isReady` is false.
            if isReady { PlainOperations.startInContext(self) }
            return
        }
        let frame = StartFrame(concurrent)
        ThreadContext.current.start(in: frame, concurrent.start).delivery?.deliverElsewhere()
    }
}

/// The result of an attempt to enter a queue.
struct QueueEntry {
    let isElsewhere: Bool
    /// Whether other code has started the operation.
    let hasStarted: Bool
    let hasFinished: Bool

    var isQueued: Bool { !isElsewhere && !hasStarted }
}
