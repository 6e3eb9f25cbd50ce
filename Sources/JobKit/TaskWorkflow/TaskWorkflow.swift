import Dispatch
import Foundation
import Synchronization

// Operation forces @unchecked. The locks of the two shells guard all state.
/// Runs an app's launch tasks in stages, on the main thread and concurrently.
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
/// A *stage* is a blocking group, or the tasks that are added between two groups. A stage opens
/// when the main-queue tasks of the previous stage have run. After a group, it waits until all
/// tasks of that group have finished. When it opens, its concurrent tasks start, and its main-queue
/// tasks run one after another in the order added. Dependencies between tasks (`addDependency(_:)`)
/// apply in addition to the stages.
///
/// A workflow is a ``JobController``. It can be cancelled, suspended, observed and nested like any
/// job, and it tracks its tasks as soon as they are added. A failed task does not stop the
/// workflow, unless ``taskFailed(_:error:)`` is overridden.
///
/// > Thread: Every member may be used from any thread. On the main thread, `start()` runs the
/// > main-queue tasks that are ready and returns without waiting. All other main-queue tasks run
/// > through `DispatchQueue.main`.
open class TaskWorkflow: JobController, @unchecked Sendable {
    /// The state of a workflow.
    public enum State: Sendable {
        /// The workflow has not been started.
        case pending
        /// The workflow was started and has not finished.
        case executing
        /// The workflow has finished or was cancelled, and none of its tasks is running.
        case finished
    }

    let launch = TaskWorkflowShell()

    /// Creates a workflow that runs its concurrent tasks on ``TaskQueue/shared``.
    ///
    /// - Parameter name: The workflow's name in the timeline.
    public init(name: String) {
        super.init()
        self.name = name
    }

    /// Creates a workflow that runs its concurrent tasks on the given queue.
    ///
    /// - Parameters:
    ///   - name: The workflow's name in the timeline.
    ///   - queue: The queue of the concurrent tasks.
    public init(name: String, queue: any OperationScheduling) {
        super.init(queue: queue)
        self.name = name
    }

    /// The workflow's state.
    public final var state: State {
        if isFinished { return .finished }
        return currentLifecycle.contains(.started) ? .executing : .pending
    }

    /// The delegate, which is called on the main thread when the workflow has finished.
    ///
    /// It is held weakly.
    public final weak var delegate: (any TaskWorkflowDelegate)? {
        get { launch.delegate }
        set { launch.delegate = newValue }
    }

    // MARK: Starting

    /// Starts the workflow with a context.
    ///
    /// `start()` alone uses an empty context, unless one was set before. On the main thread,
    /// main-queue tasks that are ready run before this method returns. Impossible dependencies
    /// between the tasks trap.
    ///
    /// - Parameter context: Passed to every task.
    public final func start(context: LaunchContext) {
        launch.context = context
        start()
    }

    /// Starts the workflow and returns when it has finished and its delegate has been called.
    ///
    /// Use it in launch code that must not return before the first screen exists. If it is called
    /// on the main thread, the main-queue tasks of this and other workflows run inside this call,
    /// and nothing else runs there until it returns. On another thread, the call blocks that
    /// thread, and the main queue must be free.
    ///
    /// - Parameters:
    ///   - context: Passed to every task.
    ///   - timeout: The maximum time that the call waits. The time in which tasks run inside the
    ///     call does not count. Nil for no limit.
    /// - Returns: False if the workflow has not finished in time. Then it continues.
    @available(*, noasync, message: "blocks its thread; await run(context:) instead")
    @discardableResult
    public final func startAndWait(
        context: LaunchContext = [:],
        timeout: Duration? = nil
    ) -> Bool {
        launch.wait(atMost: timeout) { start(context: context) }
    }

    /// Starts the workflow on ``TaskQueue/shared``, and waits for its end and the call of its
    /// delegate.
    ///
    /// Cancelling the calling Swift task cancels the workflow. The main thread is free while this
    /// waits.
    ///
    /// - Parameter context: Passed to every task.
    /// - Throws: The workflow's error if ``taskFailed(_:error:)`` makes it fail, or
    ///   `CancellationError` if it was cancelled.
    public final func run(context: LaunchContext) async throws {
        launch.context = context
        do {
            try await run(on: nil)
        } catch {
            await launch.waitUntilNotified()
            throw error
        }
        await launch.waitUntilNotified()
    }

    // MARK: For subclasses

    /// Called first when a task has failed.
    ///
    /// The default returns ``FailureResponse/carryOn``, so a failed task does not stop the launch.
    ///
    /// - Returns: ``FailureResponse/failJob`` to cancel the remaining tasks. The next task starts
    ///   after this has returned.
    open override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse {
        .carryOn
    }

    // MARK: For JobKit

    override func performStart() {
        super.performStart()
        if MainThread.isCurrent { launch.drain() }
    }

    override func performMain() {
        super.performMain()
        refuseImpossibleDependencies()
        launch.launch()
    }

    override func becameFinished() {
        super.becameFinished()
        launch.workflowFinished(self)
    }
}

/// Is notified when a workflow has finished.
///
/// The protocol is isolated to the main actor, like an app delegate or a view controller. A
/// conforming class becomes main-actor isolated too, unless it is declared `nonisolated`.
@MainActor public protocol TaskWorkflowDelegate: AnyObject {
    /// Called when the workflow has finished, because its tasks have ended or it was cancelled.
    ///
    /// This is called once, on the main thread, and `state` is ``TaskWorkflow/State/finished``.
    ///
    /// - Parameter workflow: The workflow, with a complete timeline.
    func workflowDidFinish(_ workflow: TaskWorkflow)
}
