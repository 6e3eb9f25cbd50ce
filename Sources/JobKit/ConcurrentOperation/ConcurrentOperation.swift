import Dispatch
import Foundation
import Synchronization

// Operation forces @unchecked. The state is an atomic word and a lock; `storedError` is written by
// the one finish that won, before the word says so, and read after.
/// Asynchronous work as an `Operation`: `main()` starts it, ``finish()`` ends it.
///
/// A subclass overrides `main()` to start its work and calls ``finish()`` or ``finish(with:)`` when
/// the work is done, from any thread. The operation is executing until then. It works on any
/// `OperationQueue`, on ``TaskQueue`` and by `start()` alone, on Linux and on Apple platforms.
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
/// was called. Cancellation only asks: to stop its work, a subclass overrides ``didCancel()``.
///
/// > Thread: Every member may be used from any thread.
open class ConcurrentOperation: Operation, @unchecked Sendable {
    let lifecycle = Atomic<OperationLifecycle.RawValue>(0)
    /// A ``CoarseTime``, 0 before; it fits into the padding of `lifecycle`.
    let enteredMainAt = Atomic<CoarseTime.RawValue>(0)
    /// When the operation was asked to stop, or began to end, as a ``CoarseTime``; 0 before.
    let stopRequestedAt = Atomic<CoarseTime.RawValue>(0)
    /// The operation's slot in its ``TaskQueue``, below 0 for none; guarded by the queue's lock, and
    /// of a size that fits into the padding of `stopRequestedAt`.
    var queueSlot: Int32 = -1
    let hooks = Guarded(OperationHooks())
    var storedError: (any Error)?
    /// The operation's number in events; 0 until it is needed.
    let number = Atomic<Int>(0)
    /// How much of its work the operation says it has done.
    let reportedFraction = ReportedFraction()
    /// The job that tracks the operation and has not delivered it, as a number; the first if
    /// several.
    let trackingJob = Atomic<UInt>(0)

    /// Creates an operation that has not been started.
    public override init() {
        super.init()
    }

    deinit {
        if currentLifecycle.contains(.isTimed) { hooks.withLock { $0.timers }?.cancelAll() }
        releaseWithoutRecursion()
    }

    // MARK: For subclasses

    /// Starts the work.
    ///
    /// The default finishes at once.
    ///
    /// Called once, on the thread that starts the operation; never called if the operation was
    /// cancelled or finished before. The work may continue after this returns, until it calls
    /// ``finish()``.
    open override func main() { finish() }

    /// Stops the work of an executing operation that was cancelled or has timed out.
    ///
    /// The default does nothing, because cancellation only asks. An operation that does not
    /// override this method runs until its work calls ``finish()``.
    ///
    /// An override stops the work. The operation must call ``finish()`` when its work has really
    /// stopped, and it is executing until then.
    ///
    /// Called at most once, after the operation has entered `main()` and before it finishes, on the
    /// thread that cancels. If `finish` is called while this method runs, it takes effect when this
    /// method has returned, or when ``maximumStopTime`` has passed.
    open func didCancel() { note(.ignoresStop) }

    /// Called once before the operation finishes, however it ends, and even if it never started.
    ///
    /// The default does nothing. ``outcome``, ``error`` and the result are decided. A cancellation
    /// sets `isCancelled` and changes nothing else, and a time limit that passes has no effect. The
    /// operation finishes when this method has returned.
    ///
    /// Called on the thread that finishes the operation, which may be the one that cancels it. It
    /// must return soon and must not wait. A job calls it after all its callbacks.
    open func willFinish() {}

    /// What the operation adds to its line in ``JobController/explainStall(limit:)``.
    ///
    /// The default is nil, which adds nothing. An override says briefly what only the operation
    /// knows, such as `on h2, attempt 2 for 3 s`. The note appears in parentheses at the end of the
    /// line.
    ///
    /// > Thread: Called by `explainStall` on the calling thread, with no lock held, while the
    /// > operation works. Guard what it reads with a lock that is never held for long. Not called
    /// > once the operation has finished.
    open var statusNote: String? { nil }

    // MARK: Finishing

    /// Ends the operation as a success.
    ///
    /// Ignored if the operation was already finished. May be called before `start()`: the operation
    /// then finishes when it is started, without running `main()`.
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

    /// How the operation ends; nil until that is decided.
    ///
    /// A timeout decides it at once. Otherwise it is decided when the operation is about to finish,
    /// before ``willFinish()``.
    public final var outcome: OperationOutcome? {
        switch currentLifecycle.outcome {
        case nil: nil
        case .succeeded: .succeeded
        case .cancelled: .cancelled
        case .failed: storedError.map { .failed($0) } ?? .succeeded
        case .timedOut: .failed(OperationTimeoutError(name: label, limit: overrunLimit))
        }
    }

    /// Whether the operation was finished because its ``maximumStopTime`` had passed.
    ///
    /// Code of its own may still be running. A job is never abandoned.
    public final var isAbandoned: Bool { currentLifecycle.contains([.abandoned, .finished]) }

    /// Why the operation failed; nil until the outcome is decided, and nil if it did not fail.
    public final var error: (any Error)? {
        switch currentLifecycle.outcome {
        case nil, .succeeded, .cancelled: nil
        case .failed: storedError
        case .timedOut: OperationTimeoutError(name: label, limit: overrunLimit)
        }
    }

    // MARK: Operation

    /// Starts the operation; queues call this.
    ///
    /// Starting twice traps. A cancel, an overrun or a finish that comes before the entry into
    /// `main()` prevents that entry. A subclass overrides `main()` instead.
    public final override func start() {
        let state = currentLifecycle
        if state.contains(.startsItsOwnWay) { startItsOwnWay() } else { performStart(from: state) }
    }

    /// Cancels the operation.
    ///
    /// Calls ``didCancel()`` if the operation is executing. The operation then finishes when its
    /// work calls ``finish()``. An operation that was not started will never enter `main()`, stops
    /// waiting for its dependencies, and finishes when it is started. To stop the work, override
    /// ``didCancel()``; an override of this method calls `super`.
    open override func cancel() { cancelItself() }

    /// Whether the work may continue after `main()` has returned: always true.
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
    /// An override answers no where `super` does, and does not go back from yes to no.
    open override var isReady: Bool {
        if currentLifecycle.contains(.queued) { return hasNoUnfinishedDependency }
        return isReadyForFoundation && super.isReady
    }

    /// Makes the operation wait for another to finish before it is started.
    ///
    /// Takes constant time, whatever the order and the number of dependencies. Adding a dependency
    /// twice has no effect. Concurrent calls of ``removeDependency(_:)`` for the same operation are
    /// safe: when both have returned, this operation waits for the other if and only if
    /// ``dependencies`` contains it.
    ///
    /// A dependency of a plain `Operation` on another operation is Foundation's. On Linux, adding
    /// or removing such a dependency searches all dependencies of the plain operation, and must not
    /// happen on two threads at once; both operations must live until the dependency is gone.
    open override func addDependency(_ operation: Operation) {
        changeDependencies { wait(for: operation) }
    }

    /// Stops waiting for another operation.
    ///
    /// Takes constant time.
    open override func removeDependency(_ operation: Operation) {
        changeDependencies { stopWaiting(for: operation) }
    }

    /// The operations that this one waits for, finished ones too, in the order added.
    ///
    /// An override answers what `super` does.
    open override var dependencies: [Operation] {
        hooks.withLock { $0.dependencies?.operations ?? [] }
    }

    /// The order in which a queue starts operations that are ready.
    ///
    /// An override of the setter calls `super`, which tells the queue.
    open override var queuePriority: QueuePriority {
        get { super.queuePriority }
        set {
            super.queuePriority = newValue
            note(.prioritized)
            hooks.withLock { $0.queue }?.operationPriorityChanged(self)
        }
    }

    // MARK: For JobKit

    /// Does what ``start()`` does.
    @inline(__always)
    final func performStart(from before: OperationLifecycle) {
        if before.contains(.observed), !before.contains(.started) {
            tellOfStart(entersMain: before.mayEnterMain)
        }
        announceWillExecute(from: before)
        switch transition({ $0.startCalled() }) {
        case .refuseSecondStart:
            fatalError(
                "JobKit: \(label) was started twice. Each operation runs once; make a new one."
            )
        case .skipMain:
            announceDidExecute(from: before)
            inFrame { startedWithoutMain() }
        case .prepareMain:
            enteredMainAt.store(CoarseTime.now.rawValue, ordering: .relaxed)
            announceDidExecute(from: before)
            inFrame {
                if currentLifecycle.contains(.isTimed) { startRuntime() }
                performMain()
            }
        }
    }

    /// Starts an operation that says that it starts its own way; a workflow serves the main thread.
    func startItsOwnWay() { performStart(from: currentLifecycle) }

    /// Whether `start()` calls no user code and only makes a Swift task.
    var startsTask: Bool { false }

    /// Whether the class is one of JobKit's own.
    final var isOfJobKit: Bool {
        String(reflecting: Swift.type(of: self)).hasPrefix("JobKit.")
    }

    /// Whether it is a job, which has tasks: asked for each task, where a cast would cost more.
    var isJob: Bool { false }

    /// Runs `main()`; a job does more around it.
    func performMain() {
        let context = currentLifecycle.contains(.inContext) ? firstContext : nil
        if let context { context.run(enterMain) } else { enterMain() }
    }

    /// The operation is about to be started, and observed; a job tells its own observers.
    func startIsObserved() {}

    /// Started, with a cancel or a finish before `main()`: there is nothing to run.
    ///
    /// A job may have tasks to wait for.
    func startedWithoutMain() {
        if transition({ $0.barredOperationEnds() }) { announceCancel() }
        if transition({ $0.mainSkipped() }) { end() }
    }

    /// A cancellation has begun that will reach the operation, which never enters `main()` now.
    ///
    /// A job returns the steps that cancel its tasks.
    func barred() -> [any CancelStep] {
        note(.barred)
        return []
    }

    /// Does what ``cancel()`` does, without an override of it; the tasks of a job are not
    /// cancelled.
    final func cancelItself() {
        let decision = transition { $0.cancelCalled() }
        stopRequested(decision)
        carryOut(decision)
    }

    /// Cancelled between the start and `main()`, on another thread than the one that starts it; a
    /// job leaves the end to that one.
    func mainSkippedByCancel() {
        if transition({ $0.mainSkipped() }) { end() }
    }

    /// The operation is executing, and was cancelled; a job may not have entered `main()` yet.
    func tellOfCancel() { didCancel() }

    /// Decides about a finish that a subclass asked for; a job decides otherwise.
    func finishRequested(_ outcome: OperationOutcome) {
        settle(outcome)
    }

    /// The error of an operation that owes a value and finishes without.
    var errorOfMissingValue: (any Error)? { nil }

    /// The maximum runtime has passed; a job has its tasks to stop.
    ///
    /// Called on a thread that `didCancel()` may block.
    func overran() {
        let decision = transition { $0.runtimeOverrun() }
        guard decision != .ignore else { return }
        stopRequested(decision)
        carryOut(decision)
    }

    /// When the operation was asked to stop; nil unless ``maximumStopTime`` counts.
    var stopRequest: CoarseTime? {
        let state = currentLifecycle
        guard state.contains([.started, .cancelled]), !state.contains(.finished) else { return nil }
        let request = stopRequestedAt.load(ordering: .relaxed)
        // Just being asked, if the request is not noted yet.
        return request == 0 ? .now : CoarseTime(rawValue: request)
    }

    /// ``maximumStopTime`` has passed; a job leaves its tasks.
    func stopTimePassed() { abandon() }

    /// The operation stands in no ``TaskQueue`` and may have become ready, or was cancelled; a
    /// launch task may be waited for on the main thread.
    func readinessChanged() {}

    /// Why the operation, which is in no queue, has not been started; a launch task waits for its
    /// stage.
    var reasonNotStarted: String? { nil }

    /// The numbers of the operations that had to finish before this one could start; a launch task
    /// waits for its stage besides its dependencies.
    var predecessorIDs: [Int] {
        guard currentLifecycle.contains(.hasDependencies) else { return [] }
        return dependencies.filter(\.isFinished).map(\.operationID)
    }

    /// `isFinished` has just become true and has not been told yet; a job reports it.
    func becameFinished() {}

    /// The delay of a ``perform(after:_:)`` has passed; a job makes it a callback.
    func delayPassed(_ body: @escaping @Sendable () -> Void) {
        if !currentLifecycle.contains(.ending) { body() }
    }

    /// Whether no code of the operation's is called any more; of a job perhaps before it has
    /// finished.
    var callsNothingMore: Bool { currentLifecycle.contains(.finished) }

    /// The owned operations, taken out so that they can be released one after another.
    func takeOwnedOperations() -> [Operation] {
        takeDependencies()
    }
}
