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
        asConcurrent?.eventNumber ?? PlainOperations.number(of: self)
    }

    // MARK: The class

    /// The operation if it is a ``ConcurrentOperation``.
    var asConcurrent: ConcurrentOperation? { self as? ConcurrentOperation }

    /// Whether this is a plain operation.
    var isPlain: Bool { !(self is ConcurrentOperation) }

    /// Whether the operation itself notifies its queue of its cancellation and its completion.
    ///
    /// If not, the queue must detect them.
    var notifiesQueue: Bool { !isPlain }

    /// Whether this is Foundation's class, whose `cancel()` and `isReady` call no user code.
    var isBlock: Bool { type(of: self) == BlockOperation.self }

    // MARK: Hooks

    /// Reads or changes the operation's hooks under their lock.
    private func withHooks<Result: Sendable>(
        _ body: (inout OperationHooks) -> Result
    ) -> Result {
        guard let concurrent = asConcurrent else {
            return PlainOperations.withHooks(of: self, body)
        }
        return concurrent.hooks.withLock { body(&$0) }
    }

    /// Adds a listener, dependent or waiter.
    ///
    /// - Returns: False if the operation has finished.
    private func subscribe(_ add: (inout FinishSubscribers) -> Void) -> Bool {
        if isPlain, isFinished { return false }
        return withHooks { $0.subscribe(add) }
    }

    // MARK: Listeners

    /// The listeners, in the order added.
    var listeners: FinishSubscribers.Listeners { withHooks { $0.subscribers.listeners } }

    /// The first listeners, except the given one.
    func listeners(_ limit: Int, otherThan other: OperationListener) -> [OperationListener] {
        withHooks { $0.subscribers.listeners(limit, otherThan: other) }
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
        subscribe { $0.add(listener) }
    }

    /// Removes a listener, which cannot be added again.
    func removeListener(_ listener: OperationListener) {
        withHooks { $0.unsubscribe { $0.remove(listener) } }
    }

    /// Whether more than one listener may have been added.
    ///
    /// A queue stores the operation and then reads this, under the lock under which a job is added
    /// as a listener. The job then reads the operation's queue. Therefore, at least one of the two
    /// detects the other.
    var isShared: Bool { withHooks { $0.subscribers.hasSeveralListeners } }

    /// The started jobs that wait for the operation.
    var waitingJobs: [ConcurrentOperation] { listeners.compactMap(\.waitingJob) }

    /// The operation if it is a job, whose tasks may use its permit and its keys.
    var asLender: ConcurrentOperation? { asConcurrent.flatMap { $0.isJob ? $0 : nil } }

    /// Whether a queue that holds operations back may listen.
    var mayBeHeld: Bool { asConcurrent?.flags.contains(.held) != false }

    // MARK: Dependents

    /// Adds an edge that ends when the operation finishes.
    ///
    /// Returns false if it has finished.
    func addDependent(_ dependent: DependencyEdge) -> Bool {
        subscribe { $0.add(dependent) }
    }

    /// Removes an edge that has ended before the operation has finished.
    func dependentLeft(_ dependent: DependencyEdge) {
        withHooks { $0.unsubscribe { $0.remove(dependent) } }
    }

    // MARK: Waiters

    /// Resumes a waiter when the operation has finished, or at once if it has.
    ///
    /// Unless it waits for the finish only, it is also resumed when a ``ConcurrentOperation`` can no
    /// longer run.
    func add(_ waiter: FinishWaiter) {
        let waits = withHooks { hooks in
            (waiter.isForFinishOnly || !hooks.willNeverRun) && hooks.subscribe { $0.add(waiter) }
        }
        if !waits { waiter.resume() }
    }

    // MARK: Queues

    /// The JobKit queue that contains the operation.
    var containingQueue: (any ContainingQueue)? { withHooks { $0.queue } }

    /// The operation's slot in its queue, or a number below 0 if it has none.
    ///
    /// The caller must hold the lock of the queue.
    var slotInQueue: Int {
        asConcurrent.map { Int($0.queueSlot) }
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
    func enter(
        _ queue: any ContainingQueue,
        startsIt: Bool,
        _ listener: OperationListener?
    ) -> QueueEntry {
        guard let concurrent = asConcurrent else {
            return PlainOperations.enter(self, queue, startsIt: startsIt, listener)
        }
        let (isElsewhere, isClosed) = concurrent.hooks.withLock { $0.enter(queue, listener) }
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
    func leave(_ queue: any ContainingQueue) {
        withHooks { $0.leave(queue) }
        asConcurrent?.clearFlag(.queued)
    }

    // MARK: Life

    /// Whether the operation was started.
    ///
    /// False for a plain operation whose start is just beginning.
    var hasStarted: Bool {
        asConcurrent?.currentLifecycle.contains(.started)
            ?? (isFinished || isExecuting)
    }

    /// Whether any thread may start the operation, even one of the few threads of Swift's pool.
    var mayStartOnAnyThread: Bool {
        guard let concurrent = asConcurrent, concurrent.startsTask else { return false }
        return concurrent.flags.isDisjoint(with: [.observed, .inContext, .prioritized])
    }

    /// The outcome of an operation that has finished.
    ///
    /// A plain operation cannot fail.
    var finalOutcome: OperationOutcome {
        asConcurrent?.outcome ?? (isCancelled ? .cancelled : .succeeded)
    }

    /// Whether the operation has finished, but its class, which is the user's, has never announced
    /// it.
    ///
    /// In this case, the listener is still waiting for the notification.
    func hasFinishedUnannounced(to listener: OperationListener) -> Bool {
        guard isPlain, !isBlock, isFinished else { return false }
        return listeners.contains { $0 === listener }
    }

    /// Makes the operation run inside a context if it has not been started.
    ///
    /// - Parameters:
    ///   - context: The context of a job that leaves the operation.
    ///   - isStarted: Whether a JobKit queue will certainly start the operation. Otherwise, a plain
    ///     operation might never be started, and would then be retained for the context.
    func keep(_ context: KeptContext, isStarted: Bool) {
        if let concurrent = asConcurrent {
            // Its code is already running inside the context.
            if concurrent.currentLifecycle.contains(.entered) { return }
        } else if !isStarted {
            return withHooks { if $0.queue != nil { _ = $0.subscribe { $0.add(context) } } }
        }
        _ = addListener(context)
    }

    // MARK: Reports

    /// Why the operation failed, or nil if it did not fail.
    var ownError: (any Error)? { asConcurrent?.error }

    /// Whether the operation was abandoned.
    var wasAbandoned: Bool { asConcurrent?.isAbandoned == true }

    /// The operation's own note.
    var ownNote: String? { asConcurrent?.statusNote }

    /// The operation's own reason, if it is in no queue and was not started.
    var ownReasonNotStarted: String? { asConcurrent?.reasonNotStarted }

    /// The fraction of its work that the operation has reported as done.
    var ownFraction: Double? { asConcurrent?.reportedFraction.value }

    /// When `main()` was entered, or nil if it was not, or if that is unknown.
    var mainEntry: CoarseTime? {
        asConcurrent.flatMap { CoarseTime(nonzero: $0.enteredMainAt.load(ordering: .relaxed)) }
    }

    /// When the operation was asked to stop or began to finish, or nil if that is unknown.
    var stopRequestTime: CoarseTime? {
        asConcurrent.flatMap { CoarseTime(nonzero: $0.stopRequestedAt.load(ordering: .relaxed)) }
    }

    /// Whether the operation is about to finish, so that `willFinish()` may be running.
    var isFinishing: Bool {
        guard let state = asConcurrent?.currentLifecycle else { return false }
        return state.contains(.ending) && !state.contains(.finished)
    }

    /// The maximum runtime of an operation that has timed out.
    var timeoutThatPassed: Duration? {
        guard let concurrent = asConcurrent, concurrent.currentLifecycle.contains(.timedOut)
        else { return nil }
        return concurrent.passedRuntime
    }

    /// Whether the operation was asked to stop in vain, because the default `didCancel()` did
    /// nothing.
    var ignoresStop: Bool {
        guard let concurrent = asConcurrent else { return false }
        return concurrent.flags.contains(.ignoresStop) && !concurrent.isJob
            && !concurrent.isOfJobKit
    }

    /// Sets a flag, which a plain operation does not need.
    func mark(_ flag: OperationFlags) { asConcurrent?.setFlag(flag) }

    // MARK: Cancelling

    /// Bars the operation from `main()`, without calling user code.
    ///
    /// A `BlockOperation` is barred by its `cancel()`, which is Foundation's. A ``CancelSweep``
    /// calls it when it has barred everything else.
    ///
    /// - Returns: The steps that cancel the operations below it.
    func bar() -> [any CancelStep] {
        if let concurrent = asConcurrent { return concurrent.barred() }
        if !isBlock { PlainOperations.bar(self) }
        return []
    }

    /// Calls `cancel()` as part of a sweep, and notifies the queue of a plain operation.
    func cancelInSweep() {
        let context = ThreadContext.current
        let outer = context.pointee.sweepTarget
        context.pointee.sweepTarget = ObjectIdentifier(self)
        cancel()
        context.pointee.sweepTarget = outer
        if !notifiesQueue { containingQueue?.operationCancelled(self) }
    }

    /// Cancels the operation without an override, even if another thread is about to cancel it.
    func ensureCancelled() { asConcurrent?.cancelItself() }

    /// Whether code of a barred operation may run or may have run.
    ///
    /// - Parameter wasQueued: Whether its job may have put it into a queue.
    /// - Returns: For a plain operation, true if that is uncertain.
    func mayRunThoughBarred(wasQueued: Bool) -> Bool {
        guard let concurrent = asConcurrent else {
            return wasQueued || isExecuting || isFinished
        }
        return concurrent.currentLifecycle.contains(.started)
    }

    /// Whether the operation, if cancelled before its start, can be ended without calling user
    /// code.
    var endsWithoutUserCode: Bool {
        !isPlain || isBlock
    }

    /// Whether a queue that starts the cancelled operation calls no user code, and Foundation
    /// accepts the start.
    var endsIfStarted: Bool { notifiesQueue || isBlock && isReady }

    /// Finishes a cancelled operation that no queue starts, because others may wait for it.
    func startCancelled() {
        guard isCancelled, !isFinished, !isExecuting else { return }
        guard let concurrent = asConcurrent else {
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
