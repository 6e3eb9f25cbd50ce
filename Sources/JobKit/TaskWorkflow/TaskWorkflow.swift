import Dispatch
import Foundation

// Operation forces @unchecked. All state stands behind the locks of the two effects.
/// The tasks of an app's launch, in stages: some on the main thread, some beside it.
///
/// ```swift
/// let workflow = TaskWorkflow(name: "Launch")
/// workflow.delegate = self
/// workflow.addTask(ReadSettings())
/// workflow.addBlockingTasks([
///     MakeWindow(),
///     OpenDatabase(queue: .concurrentQueue),
///     LoadFonts(queue: .concurrentQueue),
/// ])
/// workflow.addTask(ShowFirstScreen())
/// workflow.start()
/// ```
///
/// A *stage* is a blocking group, or a run of tasks added between two groups. It opens when the
/// main-queue tasks of the stage before have run and, after a group, all of that group have
/// finished. Then its concurrent tasks start, and its main-queue tasks follow one another in the
/// order added. `addDependency(_:)` between tasks holds beside the stages.
///
/// A workflow is a ``JobController``: it is cancelled, suspended, observed and nested as any job,
/// and tracks its tasks from the moment they are added. A task that fails does not stop it, unless
/// ``taskFailed(_:error:)`` is overridden.
///
/// > Thread: Every member may be used from any thread. `start()` on the main thread runs there what
/// > is ready and returns; it never waits. From any other thread, and later, main-queue tasks come
/// > by `DispatchQueue.main`.
open class TaskWorkflow: JobController, @unchecked Sendable {
    /// How far a workflow has come.
    public enum State: Sendable {
        /// Not started.
        case pending
        /// Started, and not finished.
        case executing
        /// Finished or cancelled; no task of it runs any more.
        case finished
    }

    let launch = TaskWorkflowEffects()

    /// Makes a workflow whose concurrent tasks run on ``TaskQueue/shared``.
    ///
    /// - Parameter name: What the timeline calls it.
    public init(name: String) {
        super.init()
        self.name = name
    }

    /// Makes a workflow whose concurrent tasks run on a queue of the caller's.
    ///
    /// - Parameters:
    ///   - name: What the timeline calls it.
    ///   - queue: Where the concurrent tasks run.
    public init(name: String, queue: any OperationScheduling) {
        super.init(queue: queue)
        self.name = name
    }

    /// How far the workflow has come.
    public final var state: State {
        if isFinished { return .finished }
        return currentLifecycle.contains(.started) ? .executing : .pending
    }

    /// Who is told on the main thread when the workflow has finished; held weakly.
    public final weak var delegate: (any TaskWorkflowDelegate)? {
        get { launch.delegate }
        set { launch.delegate = newValue }
    }

    // MARK: Starting

    /// Starts the workflow, with an empty context unless ``start(context:)`` was called.
    ///
    /// On the main thread, main-queue tasks that are ready run before this returns. Impossible
    /// dependencies between the tasks trap.
    open override func start() {
        let isServing = MainThread.isCurrent && launch.claimServing()
        super.start()
        if isServing { launch.serveClaimed() }
    }

    /// Starts the workflow.
    ///
    /// - Parameter context: What every task is given.
    public final func start(context: LaunchContext) {
        launch.context = context
        start()
    }

    /// Starts the workflow and returns when it has finished and its delegate has been told.
    ///
    /// For launch code that must not return before the first screen exists. On the main thread,
    /// main-queue tasks run inside this call, those of other workflows too; nothing else runs there
    /// meanwhile. Off the main thread it waits where it is, and the main queue must be free.
    ///
    /// - Parameters:
    ///   - context: What every task is given.
    ///   - timeout: How long to wait at most, beside the tasks that run here; nil: without end.
    /// - Returns: False if the workflow has not finished in time; it goes on then.
    @available(*, noasync, message: "blocks its thread; await run() instead")
    @discardableResult
    public final func startAndWait(
        context: LaunchContext = [:],
        timeout: Duration? = nil
    ) -> Bool {
        launch.wait(until: timeout.map(DispatchTime.init(after:)) ?? .distantFuture) {
            start(context: context)
        }
    }

    // MARK: For subclasses

    /// Called first when a task has failed.
    ///
    /// The default answers ``FailureResponse/carryOn``: a failed task does not stop the launch.
    ///
    /// - Returns: ``FailureResponse/failJob`` to cancel the rest; no task behind the failed one
    ///   starts before the answer.
    open override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse {
        .carryOn
    }

    // MARK: For JobKit

    override func run() {
        launch.workflowBegan()
        super.run()
        refuseImpossibleDependencies()
        launch.launch()
    }

    override func startedWithoutMain() {
        launch.workflowBegan()
        super.startedWithoutMain()
    }

    override func becameFinished() {
        super.becameFinished()
        launch.workflowFinished(self)
    }
}

extension DispatchTime {
    fileprivate init(after timeout: Duration) {
        let (seconds, attoseconds) = timeout.components
        let nanoseconds = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !nanoseconds.overflow, nanoseconds.partialValue < Int64.max / 2 else {
            self = .distantFuture
            return
        }
        let whole = Int(nanoseconds.partialValue + attoseconds / 1_000_000_000)
        self = .now() + .nanoseconds(max(0, whole))
    }
}
