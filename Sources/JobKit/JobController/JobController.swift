import Dispatch
import Foundation

// Operation forces @unchecked. All state stands behind the lock of JobEffects.
/// An operation made of many tasks, which decides the next step when a step is done.
///
/// A subclass starts its first tasks in `main()` and goes on in plain methods: a closure per task,
/// a callback per group of tasks, ``allTasksFinished()``. The job finishes when no task is left and
/// ``allTasksFinished()`` has not tracked more.
///
/// ```swift
/// final class Import: JobController, @unchecked Sendable {
///     private var imported = 0
///
///     override func main() {
///         for file in files {
///             trackAndQueue(Parse(file)) { parse in
///                 self.trackAndQueue(Insert(parse.records))
///             }
///         }
///     }
///
///     override func taskFinished(_ task: Operation) { imported += 1 }
/// }
/// ```
///
/// `main()` and the callbacks run one at a time, each after the one before, so the job's own
/// properties need no lock. A job that waits holds no thread. A started job keeps itself and its
/// unfinished tasks alive, and nothing else.
///
/// > Thread: Every member may be used from any thread. `main()` and the callbacks run on the
/// > `callbackQueue`, or where it is nil, on whatever thread has just finished a task for the job.
open class JobController: ConcurrentOperation, @unchecked Sendable {
    /// Where ``trackAndQueue(_:on:group:cancellation:weight:completion:)`` puts tasks unless told
    /// otherwise.
    public final let queue: any OperationScheduling

    let effects: JobEffects

    /// Makes a job that has not been started.
    ///
    /// - Parameters:
    ///   - queue: Where the job's tasks go unless told otherwise.
    ///   - callbackQueue: Where `main()` and every callback run: `.main` for user interfaces.
    public init(
        queue: any OperationScheduling = TaskQueue.shared,
        callbackQueue: DispatchQueue? = nil
    ) {
        self.queue = queue
        effects = JobEffects(callbackQueue: callbackQueue)
        super.init()
    }

    // MARK: For subclasses

    /// Starts the first tasks.
    ///
    /// The default does nothing.
    ///
    /// No callback is called before this has returned. A job that tracks nothing is told
    /// ``allTasksFinished()`` and finishes.
    open override func main() {}

    /// Called when the job is cancelled, or overruns its time, while it is executing.
    ///
    /// The default does nothing: the job stops its tasks by itself.
    ///
    /// Called on the thread of `cancel()`, perhaps beside a callback.
    open override func didCancel() {}

    /// Called when a task has finished that was tracked without a closure.
    ///
    /// The default does nothing.
    open func taskFinished(_ task: Operation) {}

    /// Called first when a task has failed.
    ///
    /// The default answers ``FailureResponse/failJob``.
    ///
    /// - Returns: ``FailureResponse/carryOn`` to have the task delivered as any finished task.
    open func taskFailed(_ task: Operation, error: any Error) -> FailureResponse { .failJob }

    /// Called when the last unfinished task of a group was delivered, if the group has no closure.
    ///
    /// The default does nothing.
    ///
    /// A group that gets tasks again is told again.
    open func taskGroupFinished(_ group: JobGroup) {}

    /// Called when no task is left.
    ///
    /// The default does nothing.
    ///
    /// The job finishes when this returns, unless it tracked more; it is called again then.
    open func allTasksFinished() {}

    /// Called once when the job was cancelled and its tasks have all stopped.
    ///
    /// The default does nothing.
    ///
    /// Not called if `main()` was never entered.
    open func jobCancelled() {}

    // MARK: Running

    /// Starts the job on ``TaskQueue/shared``.
    public final func startJob() {
        startJob(on: TaskQueue.shared)
    }

    /// Starts the job on a queue.
    public final func startJob(on queue: any OperationScheduling) {
        queue.addOperation(self)
    }

    /// Starts the job and waits until it has finished.
    ///
    /// Cancelling the caller's task cancels the job.
    ///
    /// - Parameter queue: Where the job is started; nil: on ``TaskQueue/shared``.
    /// - Throws: The job's error; `CancellationError` if it was cancelled.
    public final func run(on queue: (any OperationScheduling)? = nil) async throws {
        await withTaskCancellationHandler {
            startJob(on: queue ?? TaskQueue.shared)
            await waitUntilSettled()
        } onCancel: {
            cancel()
        }
        switch outcome {
        case .succeeded: return
        case .failed(let error): throw error
        case .cancelled, nil: throw CancellationError()
        }
    }

    /// Whether the job delivers no callback and puts no task into a queue.
    ///
    /// Tasks that are in their queues go on, and a callback that a thread has already taken may
    /// still come; `main()` runs. Nothing is lost: all goes on when the job is resumed. `cancel()`
    /// works while the job is suspended.
    public final var isSuspended: Bool {
        get { effects.state.withLock { $0.machine.isSuspended } }
        set { effects.setSuspended(newValue) }
    }

    /// Cancels the job and every unfinished task, depth first through nested jobs.
    ///
    /// All tasks are told before this returns. No further step callback starts; one that is running
    /// ends. The job finishes when its tasks have stopped, and is then told ``jobCancelled()``.
    open override func cancel() {
        let isFirst = effects.requestEnd(.cancelled)
        super.cancel()
        if isFirst { effects.cancelTasks(of: self) } else { effects.helpToCancelTasks(of: self) }
    }

    /// The tasks that have not finished, in the order tracked.
    public final var trackedTasks: [Operation] {
        effects.state.withLock { $0.tasks.records.compactMap(\.task) }.filter { !$0.isFinished }
    }

    // MARK: For JobKit

    override func run() {
        guard let callbackQueue = effects.callbackQueue else {
            runMain()
            deferredDelivery = .ofJob(effects)
            return
        }
        callbackQueue.async { [self] in
            runMain()
            if effects.claimDelivery() { effects.deliverOnCallbackQueue() }
        }
    }

    private func runMain() {
        if effects.begin(self, mayEnterMain: true) { main() }
        effects.mainReturned()
    }

    override func tellOfCancel() {
        if effects.state.withLock({ $0.machine.hasEnteredMain }) { didCancel() }
    }

    override func startedWithoutMain() {
        _ = effects.begin(self, mayEnterMain: false)
        effects.mainReturned()
        deferredDelivery = .ofJob(effects)
    }

    override func finishRequested(_ outcome: OperationOutcome) {
        switch outcome {
        case .succeeded: effects.end(self, .finishedEarly)
        case .failed(let error): effects.end(self, .failed, failure: error)
        case .cancelled: effects.end(self, .failed, failure: CancellationError())
        }
    }

    override func overran() {
        guard effects.requestEnd(.overrun) else { return }
        super.overran()
        effects.cancelTasks(of: self)
    }

    override func becameFinished() {
        if case .succeeded = outcome { effects.progressCompleted(of: self) }
        if effects.isObserved.load(ordering: .acquiring) { effects.tellOwn(.finished, of: self) }
    }

    override func delayPassed(_ body: @escaping @Sendable () -> Void) {
        effects.mailbox.put(DelayedCallback(body))
        effects.deliverElsewhere()
    }

    override func takeOwnedOperations() -> [Operation] {
        takeDependencies() + effects.letGo()
    }

    /// Settles how the job ended; returns false if it was cancelled while it was about to complete.
    func conclude(_ ending: JobEffects.Machine.Ending, failure: (any Error)?) -> Bool {
        let error: (any Error)? =
            switch ending {
            case .completed, .finishedEarly: errorOfMissingValue
            case .failed: failure
            case .cancelled: CancellationError()
            case .overrun: OperationTimedOut(limit: overrunLimit)
            }
        storedError = error
        var brought: OperationLifecycle = []
        if let error { brought = error is CancellationError ? .withCancellation : .withError }
        return transition { $0.endDecided(brought, unlessCancelled: ending == .completed) }
    }
}
