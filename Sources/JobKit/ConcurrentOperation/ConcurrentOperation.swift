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
/// The first finish wins; later ones are ignored. An operation that was cancelled before it
/// finished has the outcome ``OperationOutcome/cancelled``, whatever finish was called.
///
/// > Thread: Every member may be used from any thread.
open class ConcurrentOperation: Operation, @unchecked Sendable {
    let lifecycle = Atomic<OperationLifecycle.RawValue>(0)
    /// When the operation entered `main()`, 0 before; it fills up the word of the line above.
    let entry = Atomic<CoarseTime.RawValue>(0)
    let hooks = Guarded(OperationHooks())
    var storedError: (any Error)?
    /// The job to deliver to when `start()` has returned; used by the starting thread alone.
    var deferredDelivery: DeferredDelivery?
    /// The operation's number in events; 0 until it is needed.
    let number = Atomic<Int>(0)
    /// Who is to be resumed when `start()` has returned; used by the starting thread alone.
    var deferredWaiters: [FinishWaiter]?
    /// The job that tracks the operation and has not delivered it, as a number; the first if several.
    let trackingJob = Atomic<UInt>(0)
    /// The place in the ``TaskQueue`` that the operation stands in; guarded by the queue's lock.
    var queueSlot = -1

    /// Makes an operation that has not been started.
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
    /// Called once, on the thread that starts the operation, and never if the operation was
    /// cancelled or finished before. The work may go on after this returns; it ends with
    /// ``finish()``.
    open override func main() {
        finish()
    }

    /// Called when the operation is cancelled, or overruns its time, while it is executing.
    ///
    /// The default calls ``finish()``.
    ///
    /// Called at most once, between `main()` being entered and the finish, on the thread of
    /// `cancel()`. An override stops the work and calls ``finish()`` when it has really stopped;
    /// until then the operation is executing. A finish from another thread takes effect when this
    /// has returned.
    open func didCancel() {
        finish()
    }

    // MARK: Finishing

    /// Ends the operation as a success.
    ///
    /// Ignored if it was finished before.
    ///
    /// Before `start()`, the finish is remembered: the operation then finishes, without `main()`,
    /// when it is started.
    public final func finish() {
        finishRequested(.succeeded)
    }

    /// Ends the operation as a failure.
    ///
    /// Ignored if it was finished before.
    ///
    /// - Parameter error: The reason; `CancellationError` stands for
    ///   ``OperationOutcome/cancelled``.
    public final func finish(with error: any Error) {
        finishRequested(.failed(error))
    }

    /// How the operation ended; nil until it has finished.
    public final var outcome: OperationOutcome? {
        let state = currentLifecycle
        guard state.contains(.finished) else { return nil }
        switch state.outcome {
        case .succeeded: return .succeeded
        case .cancelled: return .cancelled
        case .failed: return storedError.map { .failed($0) } ?? .succeeded
        case .timedOut:
            return .failed(OperationTimedOut(limit: overrunLimit))
        }
    }

    /// Why the operation failed; nil until it has finished, and where it did not fail.
    public final var error: (any Error)? {
        guard currentLifecycle.hasFailed, case .failed(let error) = outcome else { return nil }
        return error
    }

    // MARK: Operation

    /// Starts the operation; queues call this.
    ///
    /// Starting twice traps.
    open override func start() {
        let before = currentLifecycle
        if before.contains(.observed), !before.contains(.started) { JobEffects.tellStarted(self) }
        switch transition({ $0.startCalled() }) {
        case .refuseSecondStart:
            fatalError(
                "JobKit: \(label) was started twice. Each operation runs once; make a new one."
            )
        case .skipMain:
            let context = ThreadContext.current
            let outer = context.enter(self)
            startedWithoutMain()
            leave(context, outer)
        case .enterMain:
            entry.store(CoarseTime.now.rawValue, ordering: .relaxed)
            announceExecuting()
            let context = ThreadContext.current
            let outer = context.enter(self)
            if currentLifecycle.contains(.isTimed) { startRuntime() }
            run()
            leave(context, outer)
        }
    }

    /// Cancels the operation.
    ///
    /// An operation that is executing is told by ``didCancel()``. One that was not started never
    /// enters `main()`, no longer waits for its dependencies, and finishes when it is started.
    open override func cancel() {
        carryOut(transition { $0.cancelCalled() })
    }

    /// Whether the work may go on after `main()` has returned: always true.
    public final override var isAsynchronous: Bool { true }

    /// Whether the operation was started and has not finished.
    public final override var isExecuting: Bool {
        let state = currentLifecycle
        return state.contains(.executing) && !state.contains(.finished)
    }

    /// Whether the operation has finished.
    public final override var isFinished: Bool { currentLifecycle.contains(.finished) }

    /// Whether the operation was cancelled, or overran its time, before it finished.
    public final override var isCancelled: Bool { currentLifecycle.contains(.cancelled) }

    /// Whether all dependencies have finished, or the operation was cancelled.
    open override var isReady: Bool {
        if currentLifecycle.contains(.queued) { return hasNoUnfinishedDependency }
        return isReadyForFoundation && super.isReady
    }

    /// Makes the operation wait for another to finish before it is started.
    ///
    /// Costs constant time whatever the order and the number of dependencies. Adding one twice
    /// does nothing.
    open override func addDependency(_ operation: Operation) {
        wait(for: operation)
    }

    /// Ends the wait for another operation.
    open override func removeDependency(_ operation: Operation) {
        stopWaiting(for: operation)
    }

    /// The operations that this one waits for, finished ones too, in the order added.
    open override var dependencies: [Operation] {
        hooks.withLock { $0.dependencies?.operations ?? [] }
    }

    /// The order in which a queue starts operations that are ready.
    open override var queuePriority: QueuePriority {
        get { super.queuePriority }
        set {
            super.queuePriority = newValue
            hooks.withLock { $0.queue }?.operationPriorityChanged(self)
        }
    }

    // MARK: For JobKit

    /// Runs `main()`; a job does more around it.
    func run() {
        main()
    }

    /// Started after a cancel or a finish: there is nothing to run.
    ///
    /// A job may have tasks to wait for.
    func startedWithoutMain() {
        if transition({ $0.mainSkipped() }) { end() }
    }

    /// The operation is executing, and was cancelled; a job may not have entered `main()` yet.
    func tellOfCancel() {
        didCancel()
    }

    /// Decides about a finish that a subclass asked for; a job decides otherwise.
    func finishRequested(_ outcome: OperationOutcome) {
        settle(outcome)
    }

    /// The error of an operation that owes a value and finishes without.
    var errorOfMissingValue: (any Error)? { nil }

    /// The maximum runtime has passed; a job has its tasks to stop.
    func overran() {
        carryOut(transition { $0.runtimeOverrun() })
    }

    /// The operation stands in no ``TaskQueue`` and may have become ready, or was cancelled; a
    /// launch task may be waited for on the main thread.
    func readinessChanged() {}

    /// `isFinished` has just become true, and nobody was told yet; a job reports it.
    func becameFinished() {}

    /// The delay of a ``perform(after:_:)`` has passed; a job makes it a callback.
    func delayPassed(_ body: @escaping @Sendable () -> Void) {
        if !currentLifecycle.contains(.ending) { body() }
    }

    /// The owned operations, taken out so that they can be released one after another.
    func takeOwnedOperations() -> [Operation] {
        takeDependencies()
    }
}
