import Foundation

/// What JobKit asks of an operation, and tells it, whichever kind it is.
///
/// A ``ConcurrentOperation`` has the answer itself. For a plain operation, one of any other class,
/// `PlainOperations` keeps it.
extension Operation {
    /// The operation's number in events, snapshots and timelines; unique in the process.
    ///
    /// > Thread: Any.
    public var operationID: Int {
        (self as? ConcurrentOperation)?.eventNumber ?? PlainOperations.number(of: self)
    }

    // MARK: Listeners

    /// The listeners that hear of the finish, in the order in which they came.
    var listeners: FinishAudience.Listeners {
        askAudience { $0.listeners } ?? FinishAudience().listeners
    }

    /// The first listeners but for one of them.
    func listeners(_ limit: Int, otherThan other: OperationListener) -> [OperationListener] {
        askAudience { $0.listeners(limit, otherThan: other) } ?? []
    }

    /// Asks about those that hear of the finish; nil where no plain operation is known.
    private func askAudience<Answer: Sendable>(
        _ question: @Sendable (FinishAudience) -> Answer
    ) -> Answer? {
        guard let concurrent = self as? ConcurrentOperation else {
            return PlainOperations.withKnown(self) { question($0.audience) }
        }
        return concurrent.hooks.withLock { question($0.audience) }
    }

    /// What the first job that tracks the operation and has a context has it run inside.
    ///
    /// Each is asked once, because it may end meanwhile. One that so ends has left its context to be
    /// found the second time.
    var firstContext: OperationContext? {
        for _ in 0..<2 {
            for listener in listeners {
                if let context = listener.context { return context }
            }
        }
        return nil
    }

    /// Makes a listener hear of the finish, unless it was removed before; returns false if the
    /// operation has finished.
    func addListener(_ listener: OperationListener) -> Bool {
        (self as? ConcurrentOperation)?.addingListener { $0.add(listener) }
            ?? PlainOperations.add(listener, to: self)
    }

    /// A listener hears of the finish no more, and cannot be added again.
    func removeListener(_ listener: OperationListener) {
        removeFromAudience { $0.remove(listener) }
    }

    /// Removes something that hears of the finish; what goes with it is released with no lock held.
    private func removeFromAudience<Element: Sendable>(
        _ remove: (inout FinishAudience) -> [Element]
    ) {
        guard let concurrent = self as? ConcurrentOperation else {
            return PlainOperations.remove(from: self, remove)
        }
        let released = concurrent.hooks.withLock { $0.removeFromAudience(remove) }
        withExtendedLifetime(released) {}
    }

    // MARK: Dependents

    /// Ends an edge when the operation finishes; returns false if it has finished.
    func addDependent(_ dependent: DependencyEdge) -> Bool {
        (self as? ConcurrentOperation)?.hooks.withLock { $0.add(dependent) }
            ?? PlainOperations.add(dependent, to: self)
    }

    /// An edge is over before the operation has finished.
    func dependentLeft() { removeFromAudience { $0.dependentLeft() } }

    // MARK: Queues

    /// The queue of JobKit's that the operation stands in.
    var home: (any QueueHome)? {
        guard let concurrent = self as? ConcurrentOperation else {
            return PlainOperations.withKnown(self) { $0.queue }
        }
        return concurrent.hooks.withLock { $0.queue }
    }

    /// Where the operation stands in its queue, whose lock the caller holds; below 0 if it has no
    /// place there.
    var slotInQueue: Int {
        (self as? ConcurrentOperation).map { Int($0.queueSlot) }
            ?? PlainOperations.withKnown(self) { $0.ticket?.slot } ?? -1
    }

    /// Makes the operation stand in a queue, if there is something left to start.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - startsIt: Whether the queue starts the operation itself, and so hears of its finish.
    ///   - listener: Hears of the finish, even where the operation does not stand in this queue.
    /// - Returns: Whether it stands there, and if not, why.
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
        let (standsElsewhere, isClosed) = concurrent.addingListener { $0.enter(queue, listener) }
        concurrent.note(.queued)
        let hasStarted = concurrent.currentLifecycle.contains(.started)
        if hasStarted, !standsElsewhere { concurrent.hooks.withLock { $0.queue = nil } }
        return QueueEntry(
            standsElsewhere: standsElsewhere,
            hasStarted: hasStarted,
            hasFinished: hasStarted && isClosed
        )
    }

    /// The operation stands in the queue no more, before its start; Foundation has its say in when
    /// it is ready.
    func leave(_ queue: any PollingQueue) {
        guard let concurrent = self as? ConcurrentOperation else {
            return PlainOperations.leave(queue, self)
        }
        concurrent.hooks.withLock { hooks in
            if hooks.queue === queue { hooks.queue = nil }
        }
        concurrent.lifecycle.bitwiseAnd(
            ~OperationLifecycle.queued.rawValue,
            ordering: .acquiringAndReleasing
        )
    }

    // MARK: Life

    /// Whether the operation was started; a plain one does not say that of itself while it begins.
    var hasStarted: Bool {
        (self as? ConcurrentOperation)?.currentLifecycle.contains(.started)
            ?? (isFinished || isExecuting)
    }

    /// How the operation, which has finished, ended: a plain one cannot fail.
    var finalOutcome: OperationOutcome {
        (self as? ConcurrentOperation)?.outcome ?? (isCancelled ? .cancelled : .succeeded)
    }

    /// Whether the operation has finished, and its class, which is not Foundation's, has never said
    /// so: a listener waits to hear of it.
    func hasFinishedUntold(to listener: OperationListener) -> Bool {
        guard !(self is ConcurrentOperation), !(self is BlockOperation), isFinished else {
            return false
        }
        return listeners.contains { $0 === listener }
    }

    /// Has the operation run inside a context if it is yet to be started.
    ///
    /// - Parameters:
    ///   - context: The context, of a job that leaves the operation to itself.
    ///   - isStarted: Whether a queue of JobKit's is sure to start it. A plain operation that may
    ///     never be started would be retained for the context.
    func keep(_ context: KeptContext, isStarted: Bool) {
        if let concurrent = self as? ConcurrentOperation {
            // What runs is inside it.
            if concurrent.currentLifecycle.contains(.entered) { return }
        } else if !isStarted {
            return PlainOperations.keep(context, for: self)
        }
        _ = addListener(context)
    }

    // MARK: Cancelling

    /// Whether code of the operation, which is barred, may run or may have run; its job may have
    /// put it into a queue.
    func mayRunThoughBarred(wasQueued: Bool) -> Bool {
        guard let concurrent = self as? ConcurrentOperation else {
            return wasQueued || isExecuting || isFinished
        }
        return concurrent.currentLifecycle.contains(.started)
    }

    /// Whether the operation can be ended without calling user code, if it was cancelled before its
    /// start.
    var endsWithoutUserCode: Bool {
        self is ConcurrentOperation || type(of: self) == BlockOperation.self
    }

    /// Finishes a cancelled operation that no queue starts: others may be waiting for it.
    func startCancelled() {
        guard isCancelled, !isFinished, !isExecuting else { return }
        guard let concurrent = self as? ConcurrentOperation else {
            // Foundation traps where an operation is started that says that it is not ready.
            if isReady { PlainOperations.startInContext(self) }
            return
        }
        let frame = StartFrame(concurrent)
        ThreadContext.current.start(in: frame, concurrent.start).delivery?.deliverElsewhere()
    }
}

/// What has become of an operation that was to stand in a queue.
struct QueueEntry {
    let standsElsewhere: Bool
    /// Other code has started it.
    let hasStarted: Bool
    let hasFinished: Bool

    var stands: Bool { !standsElsewhere && !hasStarted }
}
