import Dispatch
import Foundation

// Operation forces @unchecked. The lock of JobShell guards all state.
/// An operation that consists of many tasks and decides the next step when a step is done.
///
/// A subclass starts its first tasks in `main()` and continues in closures and callbacks: a closure
/// for each task, a callback for each group of tasks, and ``allTasksFinished()``. The job finishes
/// when no task is left and ``allTasksFinished()`` has returned without tracking more.
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
/// `main()` and the callbacks run one at a time, so the job's own properties need no lock. A
/// waiting job holds no thread. A started job keeps itself and its unfinished tasks alive, and
/// nothing else.
///
/// > Thread: Every member may be used from any thread. `main()` and the callbacks run on the
/// > `callbackQueue` or, without one, on a thread that has just finished a task of the job.
open class JobController: ConcurrentOperation, @unchecked Sendable {
    /// The default queue of the job's tasks.
    ///
    /// ``trackAndQueue(_:on:group:cancellation:weight:failure:completion:)`` uses it if no other
    /// queue is passed.
    public final let queue: any OperationScheduling

    let shell: JobShell

    /// Creates a job that has not been started.
    ///
    /// - Parameters:
    ///   - name: The job's name. Nil for the name of its class.
    ///   - queue: The default queue of the job's tasks. The job itself runs on the queue on which
    ///     it is started.
    ///   - callbackQueue: The queue of `main()` and every callback, such as `.main` for user
    ///     interfaces.
    public init(
        name: String? = nil,
        queue: any OperationScheduling = TaskQueue.shared,
        callbackQueue: DispatchQueue? = nil
    ) {
        self.queue = queue
        shell = JobShell(callbackQueue: callbackQueue)
        super.init()
        if let name { self.name = name }
    }

    // MARK: For subclasses

    /// Starts the first tasks.
    ///
    /// The default does nothing.
    ///
    /// Callbacks are called after this has returned. If it tracks nothing, the job calls
    /// ``allTasksFinished()`` and finishes.
    open override func main() {}

    /// Called when the job is cancelled or times out while it is executing.
    ///
    /// The default does nothing, because a job stops its tasks by itself.
    ///
    /// Called on the thread that cancels, possibly while a callback runs.
    open override func didCancel() {}

    /// Called when a task that was tracked without a closure has finished.
    ///
    /// The default does nothing.
    open func taskFinished(_ task: Operation) {}

    /// Called first when a task has failed.
    ///
    /// The default returns ``FailureResponse/failJob``.
    ///
    /// - Returns: ``FailureResponse/carryOn`` to have the task delivered like any finished task.
    open func taskFailed(_ task: Operation, error: any Error) -> FailureResponse { .failJob }

    /// Called when the last unfinished task of a group was delivered, if the group has no
    /// completion.
    ///
    /// The default does nothing.
    ///
    /// If tasks of a group are discovered one by one, the group finishes, and this is called, each
    /// time the group has no unfinished tasks left. If the tasks that discover them are in the same
    /// group, this is called only once.
    open func taskGroupFinished(_ group: JobGroup) {}

    /// Called when no task is left.
    ///
    /// The default does nothing.
    ///
    /// The job finishes when this returns. If it tracks more tasks, it is called again after them.
    open func allTasksFinished() {}

    /// Called once after the job was cancelled, when all of its tasks have stopped.
    ///
    /// The default does nothing.
    ///
    /// Not called if `main()` was never entered.
    open func jobCancelled() {}

    // MARK: Control

    /// Whether the job holds back its callbacks and the tasks that are not yet in their queues.
    ///
    /// While the job is suspended, `main()` still runs, tasks that are in their queues continue,
    /// and a callback that a thread has already taken may still be called. Everything else waits
    /// until the job is resumed. `cancel()` works while the job is suspended.
    public final var isSuspended: Bool {
        get { shell.ask { $0.machine.isSuspended } }
        set { shell.setSuspended(newValue) }
    }

    /// Cancels the job and every unfinished task, depth first through nested jobs.
    ///
    /// All tasks are cancelled when this returns. No further step callback starts, but a running
    /// one completes. When its tasks have stopped, the job calls ``jobCancelled()`` and finishes.
    open override func cancel() {
        guard !CancelSweep.isCancelling(self) else { return cancelItself() }
        CancelSweep([JobEndStep.cancel(self)] + shell.stepsToCancel(self)).run()
    }

    /// The tasks that have not finished, in the order in which they were tracked.
    public final var trackedTasks: [Operation] {
        shell.tasks.filter { !$0.isFinished }
    }

    // MARK: For JobKit

    override final var isJob: Bool { true }

    override func holdsPermit(in queue: AnyObject) -> Bool { shell.permit.isIn(queue) }

    override var onlyWaits: Bool { shell.token.isFree }

    override var hasTasksToLendTo: Bool { shell.ask { $0.hasTasksToLendTo } }

    override var tasksToLendTo: [Operation] { shell.tasks }

    override func performMain() {
        guard let callbackQueue = shell.callbackQueue else {
            runMain()
            ThreadContext.current.pointee.frame.delivery = shell
            return
        }
        callbackQueue.async { [self] in
            runMain()
            if shell.claimDelivery() { shell.deliverOnCallbackQueue() }
        }
    }

    private func runMain() {
        if let context = shell.context { context.run(beginMain) } else { beginMain() }
        shell.mainReturned()
        startWorkAfterMain()
    }

    private func beginMain() {
        if shell.begin(self, mayEnterMain: transition { $0.mainEntering() }) { main() }
    }

    override func callDidCancel() {
        if shell.ask({ $0.machine.hasEnteredMain }) { didCancel() }
    }

    override func startIsObserved() { notifyOwnObservers(of: .started) }

    override func barred() -> [any CancelStep] {
        _ = super.barred()
        return shell.stepsToCancel(self)
    }

    override func startedWithoutMain() {
        _ = shell.begin(self, mayEnterMain: false)
        shell.mainReturned()
        ThreadContext.current.pointee.frame.delivery = shell
    }

    override func finishRequested(_ outcome: OperationOutcome) {
        switch outcome {
        case .succeeded: shell.end(self, .finishedEarly)
        case .failed(let error): shell.end(self, .failed, failure: error)
        case .cancelled: shell.end(self, .failed, failure: CancellationError())
        }
    }

    override func timedOut() {
        guard let steps = shell.decideEnd(of: self, .timedOut) else { return }
        let action = transition { $0.runtimePassed() }
        CancelSweep([JobEndStep.timeOut(self, action)] + steps).run()
    }

    override var stopRequest: CoarseTime? {
        shell.ask { $0.stopRequest }
    }

    override func stopTimePassed() { shell.leaveTasks() }

    override func becameFinished() {
        // The progress may have been read for the first time after the end was decided.
        if case .succeeded = outcome { shell.progressSucceeds(self) }
        if shell.features.contains(.observed) { notifyOwnObservers(of: .finished) }
    }

    override func delayPassed(_ body: @escaping @Sendable () -> Void) {
        shell.send { $0.messageArrived(CallbackMessage(body)) }
        shell.deliverElsewhere()
    }

    override var callsNothingMore: Bool {
        super.callsNothingMore || shell.ask { $0.machine.callsNothing }
    }

    override func takeOwnedOperations() -> [Operation] {
        takeDependencies() + shell.releaseAll(shell.send { $0.releaseAll() })
    }

    /// The error with which the job ends, except a failure, which was stored when the end began.
    func error(of ending: JobState.Machine.Ending) -> (any Error)? {
        switch ending {
        case .completed, .finishedEarly: errorOfMissingValue
        case .failed: nil
        case .cancelled: CancellationError()
        case .timedOut: OperationTimeoutError(name: label, limit: passedRuntime)
        }
    }

    /// The flags of the outcome with ``storedError``.
    var flagsOfStoredError: OperationLifecycle {
        guard let storedError else { return [] }
        return storedError is CancellationError ? .withCancellation : .withError
    }
}

extension Operation {
    /// The operation if it is a job.
    final var asJob: JobController? { asConcurrent?.selfAsJob }
}

extension ConcurrentOperation {
    /// The operation if it is a job, without the cast of ``asJob``.
    final var selfAsJob: JobController? {
        isJob ? unsafeDowncast(self, to: JobController.self) : nil
    }
}
