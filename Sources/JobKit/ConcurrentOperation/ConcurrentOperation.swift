import Dispatch
import Foundation
import Synchronization

// Operation forces @unchecked. The state is an atomic word and a lock. `storedError` is written by
// the one `finish` that won, before the word shows it, and is read only after that.
/// An `Operation` for asynchronous work: `main()` starts the work, and ``finish()`` ends it.
///
/// A subclass overrides `main()` to start its work, and calls ``finish()`` or ``finish(with:)``
/// from any thread when the work is done. Until then, the operation is executing. It works on any
/// `OperationQueue`, on a ``TaskQueue`` and with `start()` alone, on Linux and on Apple platforms.
///
/// ```swift
/// final class Download: ConcurrentOperation, @unchecked Sendable {
///     override func main() {
///         session.dataTask(with: url) { _, _, error in
///             if let error { self.finish(with: error) } else { self.finish() }
///         }.resume()
///     }
/// }
/// ```
///
/// The first call of a `finish` method wins, and later calls are ignored. An operation that was
/// cancelled before it finished has the outcome ``OperationOutcome/cancelled``, whichever `finish`
/// was called. Cancellation is only a request. A subclass overrides ``didCancel()`` to stop its
/// work.
///
/// > Thread: Every member may be used from any thread.
open class ConcurrentOperation: Operation, @unchecked Sendable {
    let lifecycle = Atomic<OperationLifecycle.RawValue>(0)
    /// When `main()` was entered, as a ``CoarseTime``, or 0 before.
    ///
    /// Fits into the padding of `lifecycle`.
    let enteredMainAt = Atomic<CoarseTime.RawValue>(0)
    /// When the operation was asked to stop or began to end, as a ``CoarseTime``, or 0 before.
    let stopRequestedAt = Atomic<CoarseTime.RawValue>(0)
    /// The operation's slot in its ``TaskQueue``, or a number below 0 if it has none.
    ///
    /// The queue's lock guards it. Its size fits into the padding of `stopRequestedAt`.
    var queueSlot: Int32 = -1
    let hooks = Guarded(OperationHooks())
    var storedError: (any Error)?
    /// The operation's number in events, or 0 until it is needed.
    let number = Atomic<Int>(0)
    /// The fraction of its work that the operation has reported as done.
    let reportedFraction = ReportedFraction()
    /// The first job that tracks the operation and has not delivered it, as a number.
    let trackingJob = Atomic<UInt>(0)

    /// Creates an operation that has not been started.
    public override init() {
        super.init()
    }

    deinit {
        // A finished operation has cancelled them.
        if flags.contains(.isTimed), !isFinished { endTimers() }
        releaseWithoutRecursion()
    }

    // MARK: For subclasses

    /// Starts the work.
    ///
    /// The default finishes at once.
    ///
    /// Called once, on the thread that starts the operation, but never if the operation was
    /// cancelled or finished before. The work may continue after this method has returned, until it
    /// calls ``finish()``.
    open override func main() { finish() }

    /// Stops the work of an executing operation that was cancelled or has timed out.
    ///
    /// The default does nothing, because cancellation is only a request. An operation that does not
    /// override this method runs until its work calls ``finish()``.
    ///
    /// An override stops the work. The operation is executing until its work has really stopped,
    /// and must call ``finish()`` then.
    ///
    /// Called at most once, after the operation has entered `main()` and before it finishes, on the
    /// thread that cancels. If `finish` is called while this method runs, it takes effect when this
    /// method has returned, or when ``maximumStopTime`` has passed.
    open func didCancel() { setFlag(.ignoresStop) }

    /// Called once before the operation finishes, however it ends and even if it never started.
    ///
    /// The default does nothing. ``outcome``, ``error`` and the result are already decided. A
    /// cancellation now only sets `isCancelled`, and a time limit that passes has no effect. The
    /// operation finishes when this method has returned.
    ///
    /// Called on the thread that finishes the operation, which may be the thread that cancels it.
    /// This method must return soon and must not wait. A job calls it after all its callbacks.
    open func willFinish() {}

    /// A note that is added to the operation's line in ``JobController/explainStall(limit:)``.
    ///
    /// The default is nil, which adds nothing. An override returns a short text about its internal
    /// state, such as `on h2, attempt 2 for 3 s`. The note appears in parentheses at the end of the
    /// line.
    ///
    /// > Thread: `explainStall` reads this on the calling thread while the operation works, with no
    /// > lock held. If an override reads mutable state, guard it with a lock that is never held for
    /// > long. Not called after the operation has finished.
    open var statusNote: String? { nil }

    // MARK: Finishing

    /// Ends the operation as a success.
    ///
    /// Ignored if the operation was already finished. It may be called before `start()`. The
    /// operation then finishes when it is started, without running `main()`.
    public final func finish() {
        finishRequested(.succeeded)
    }

    /// Ends the operation as a failure.
    ///
    /// Ignored if the operation was already finished.
    ///
    /// - Parameter error: The reason. `CancellationError` gives the outcome
    ///   ``OperationOutcome/cancelled`` and makes `isCancelled` true without a call of
    ///   ``didCancel()``.
    public final func finish(with error: any Error) {
        finishRequested(.failed(error))
    }

    /// How the operation ends, or nil until this is decided.
    ///
    /// A timeout decides the outcome at once. Otherwise, it is decided when the operation is about
    /// to finish, before ``willFinish()``.
    public final var outcome: OperationOutcome? {
        switch currentLifecycle.outcome {
        case nil: nil
        case .succeeded: .succeeded
        case .cancelled: .cancelled
        case .failed: storedError.map { .failed($0) } ?? .succeeded
        case .timedOut: .failed(OperationTimeoutError(name: label, limit: passedRuntime))
        }
    }

    /// Whether the operation was finished because its ``maximumStopTime`` had passed.
    ///
    /// Its own code may still be running. A job is never abandoned.
    public final var isAbandoned: Bool { currentLifecycle.contains([.abandoned, .finished]) }

    /// Why the operation failed, or nil if it did not fail, or before its outcome is decided.
    public final var error: (any Error)? { outcome?.error }

    // MARK: Operation

    /// Starts the operation.
    ///
    /// Queues call this method. A second call traps. If the operation is cancelled, times out or
    /// finishes before it enters `main()`, it does not enter it. A subclass overrides `main()`
    /// instead of this method.
    public final override func start() { performStart() }

    /// Cancels the operation.
    ///
    /// If the operation is executing, this calls ``didCancel()``, and the operation finishes when
    /// its work calls ``finish()``. If the operation was not started, it will never enter `main()`.
    /// It stops waiting for its dependencies, and finishes when it is started.
    ///
    /// To stop the work, override ``didCancel()``. An override of `cancel()` must call `super`.
    open override func cancel() { cancelItself() }

    /// Always true, because the work may continue after `main()` has returned.
    public final override var isAsynchronous: Bool { true }

    /// Whether the operation was started and has not finished.
    public final override var isExecuting: Bool {
        let state = currentLifecycle
        return state.contains(.executing) && !state.contains(.finished)
    }

    /// Whether the operation has finished.
    public final override var isFinished: Bool { currentLifecycle.contains(.finished) }

    /// Whether the operation was cancelled, or timed out, before it finished.
    public final override var isCancelled: Bool { currentLifecycle.contains(.cancelled) }

    /// Whether all dependencies have finished, or the operation was cancelled.
    ///
    /// An override must return false if `super` does, and must not change from true back to false.
    open override var isReady: Bool {
        if flags.contains(.queued) { return hasNoUnfinishedDependency }
        return isReadyForFoundation && super.isReady
    }

    /// Makes the operation wait for another to finish before it is started.
    ///
    /// Takes constant time, regardless of the order and number of dependencies. Adding a dependency
    /// twice has no effect. Concurrent calls of ``removeDependency(_:)`` for the same operation are
    /// safe: when both have returned, this operation waits for the other one if and only if
    /// ``dependencies`` contains it.
    ///
    /// If a plain `Operation` depends on another operation, Foundation implements the dependency.
    /// On Linux, adding or removing it searches all dependencies of the plain operation and must
    /// not happen on two threads at once. Both operations must live until the dependency is gone.
    open override func addDependency(_ operation: Operation) {
        changeDependencies { wait(for: operation) }
    }

    /// Stops waiting for another operation.
    ///
    /// Takes constant time.
    open override func removeDependency(_ operation: Operation) {
        changeDependencies { stopWaiting(for: operation) }
    }

    /// The operations that this one waits for, including finished ones, in the order added.
    ///
    /// An override must return the value of `super`.
    open override var dependencies: [Operation] {
        hooks.withLock { $0.dependencies.read { $0.operations } ?? [] }
    }

    /// The priority with which a queue starts the operation when it is ready.
    ///
    /// An override of the setter must call `super`, which notifies the queue.
    open override var queuePriority: QueuePriority {
        get { super.queuePriority }
        set {
            super.queuePriority = newValue
            setFlag(.prioritized)
            hooks.withLock { $0.queue }?.operationPriorityChanged(self)
        }
    }

    // MARK: For JobKit

    /// Performs ``start()``, which a workflow overrides to serve the main thread.
    func performStart() {
        let before = currentLifecycle
        if flags.contains(.observed), !before.contains(.started) {
            notifyOfStart(entersMain: before.mayEnterMain)
        }
        switch announceExecution(from: before, { transition { $0.startCalled() } }) {
        case .refuseSecondStart:
            fatalError(
                "JobKit: \(label) was started twice. Each operation runs once; make a new one."
            )
        case .skipMain:
            inFrame { skipMain() }
        case .prepareMain:
            enteredMainAt.store(CoarseTime.now.rawValue, ordering: .relaxed)
            inFrame {
                if flags.contains(.isTimed) { startWait(for: .limit(.runtime)) }
                performMain()
            }
        }
    }

    /// Whether `start()` calls no user code and only creates a Swift task.
    var startsTask: Bool { false }

    /// Whether the class is part of JobKit.
    final var isOfJobKit: Bool {
        String(reflecting: Swift.type(of: self)).hasPrefix("JobKit.")
    }

    /// Whether this is a job, which costs less to read for each task than a cast.
    var isJob: Bool { false }

    /// Whether this is a job that was started in the given queue.
    func holdsPermit(in queue: AnyObject) -> Bool { false }

    /// Whether this is a job that only waits for its tasks, read under the lock of its queue.
    var onlyWaits: Bool { false }

    /// Whether this is a job that was started and has tasks.
    var hasTasksToLendTo: Bool { false }

    /// The tasks of a job, which may use its permit and its keys.
    var tasksToLendTo: [Operation] { [] }

    /// Runs `main()` inside the operation's context; a job overrides this to do more.
    func performMain() {
        let context = flags.contains(.inContext) ? firstContext : nil
        if let context { context.run(enterMain) } else { enterMain() }
    }

    /// Called before an observed operation starts, so that a job can notify its own observers.
    func startIsObserved() {}

    /// Ends an operation that was started, but was cancelled or finished before `main()`.
    ///
    /// A job overrides this, because it may have tasks to wait for.
    func startedWithoutMain() {
        releaseBody()
        if transition({ $0.barredOperationEnds() }) { announceCancel() }
        if transition({ $0.mainSkipped() }) { end() }
    }

    /// Releases the closure of an operation that runs one, because it will not be called again.
    func releaseBody() {}

    /// Prevents the operation from entering `main()`, because a cancellation has begun that will
    /// reach it.
    ///
    /// - Returns: The steps that cancel the tasks of a job, or an empty array for other operations.
    func barred() -> [any CancelStep] {
        record(.barred)
        return []
    }

    /// Performs ``cancel()`` without calling an override or cancelling the tasks of a job.
    final func cancelItself() {
        carryOut(transition { $0.cancelCalled() })
    }

    /// Calls `didCancel()`, which a job does only after it has entered `main()`.
    func callDidCancel() { didCancel() }

    /// Handles a call of `finish`, which a job overrides because it ends differently.
    func finishRequested(_ outcome: OperationOutcome) {
        resolve(outcome)
    }

    /// The error of an operation that must have a value and finishes without one.
    var errorOfMissingValue: (any Error)? { nil }

    /// Stops the operation, and the tasks of a job, because ``maximumRuntime`` has passed.
    ///
    /// Called on a thread that `didCancel()` may block.
    func timedOut() {
        carryOut(transition { $0.runtimePassed() })
    }

    /// When the operation was asked to stop, or nil if ``maximumStopTime`` does not apply.
    var stopRequest: CoarseTime? {
        let state = currentLifecycle
        guard state.contains([.started, .cancelled]), !state.contains(.finished) else { return nil }
        let request = stopRequestedAt.load(ordering: .relaxed)
        // If the request is not recorded yet, the operation is just being asked to stop.
        return request == 0 ? .now : CoarseTime(rawValue: request)
    }

    /// Abandons the operation, or leaves the tasks of a job, after ``maximumStopTime``.
    func stopTimePassed() {
        if transition({ $0.stopTimePassed() }) { end() }
    }

    /// Called when an operation that is in no ``TaskQueue`` may have become ready or was cancelled.
    ///
    /// A launch task wakes the main thread, which may be waiting for it.
    func readinessChanged() {}

    /// Why an operation in no queue has not been started: a launch task waits for its stage.
    var reasonNotStarted: String? { nil }

    /// The numbers of the operations that had to finish before this one could start.
    ///
    /// A launch task waits for its stage in addition to its dependencies.
    var predecessorIDs: [Int] {
        guard flags.contains(.hasDependencies) else { return [] }
        return dependencies.filter(\.isFinished).map(\.operationID)
    }

    /// Called before `isFinished` is announced, so that a job can notify its observers.
    func becameFinished() {}

    /// Runs the body of ``perform(after:_:)`` after its delay, which a job does as a callback.
    func delayPassed(_ body: @escaping @Sendable () -> Void) {
        if !currentLifecycle.contains(.ending) { body() }
    }

    /// Whether none of the operation's code will be called again.
    ///
    /// For a job, this may be true before it has finished.
    var callsNothingMore: Bool { currentLifecycle.contains(.finished) }

    /// Removes and returns the owned operations, so that they can be released one after another.
    func takeOwnedOperations() -> [Operation] {
        takeDependencies()
    }
}
