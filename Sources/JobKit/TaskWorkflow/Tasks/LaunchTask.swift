import Foundation

// Operation forces @unchecked. Locks guard everything that changes.
/// A task of an app's launch.
///
/// A subclass overrides ``main(context:)``. Its `queue` determines the thread:
///
/// ```swift
/// final class OpenDatabase: LaunchTask, @unchecked Sendable {
///     override func main(context: LaunchContext) {
///         do { try Database.open() } catch { finish(with: error) }
///     }
/// }
/// workflow.addTask(OpenDatabase(queue: .concurrentQueue))
/// ```
///
/// The task finishes when ``main(context:)`` returns, even if it is cancelled before. If it
/// ``finishesAsynchronously``, it finishes when it calls `finish()`.
open class LaunchTask: ConcurrentOperation, @unchecked Sendable {
    /// Decides whether `finish` ends the task immediately.
    ///
    /// Inside `main(context:)`, the requested outcome is kept until the method returns, unless the
    /// task finishes asynchronously.
    private enum Phase {
        case beforeMain
        case insideMain(requested: OperationOutcome?)
        /// `finish` ends the task immediately.
        ///
        /// If it was called before `main(context:)`, that method is not called.
        case open
    }

    /// The queue on which the task runs.
    public final let queue: LaunchTaskQueue

    private struct Workflow {
        weak var shell: TaskWorkflowShell?
    }

    private let workflow = Guarded(Workflow())
    private let phase = Guarded(Phase.beforeMain)

    /// Creates a task that has not been started.
    ///
    /// - Parameters:
    ///   - name: The task's name in the timeline and in messages. Nil for the name of its class.
    ///   - queue: The queue on which the task runs.
    public init(name: String? = nil, queue: LaunchTaskQueue = .mainQueue) {
        self.queue = queue
        super.init()
        self.name = name ?? String(describing: type(of: self))
    }

    // MARK: For subclasses

    /// Does the task's work.
    ///
    /// The default does nothing. This is called once, on the main thread or on a thread of the
    /// workflow's queue, depending on `queue`. It is never called if the task was cancelled before.
    /// When it returns, the task finishes as a success, or with the outcome of the first `finish`
    /// that was called inside, unless the task ``finishesAsynchronously``.
    ///
    /// - Parameter context: The context that was passed to the start of the workflow. Empty without
    ///   a workflow.
    open func main(context: LaunchContext) {}

    /// Whether the task continues after ``main(context:)`` has returned.
    ///
    /// False unless overridden. If true, the task ends when any thread calls `finish()`. The next
    /// main-queue task starts as soon as ``main(context:)`` has returned, but the end of a blocking
    /// group waits until the task has finished.
    open var finishesAsynchronously: Bool { false }

    /// Calls ``main(context:)`` with the workflow's context.
    public final override func main() {
        let shell = shell
        shell?.taskBegan(self)
        let context = shell?.context ?? [:]
        let isAsynchronous = finishesAsynchronously
        let mayEnter = phase.withLock { phase in
            guard case .beforeMain = phase else { return false }
            phase = isAsynchronous ? .open : .insideMain(requested: nil)
            return true
        }
        if mayEnter { main(context: context) } else { releaseBody() }
        let outcome = phase.withLock { phase -> OperationOutcome? in
            defer { phase = .open }
            guard case .insideMain(let requested) = phase else { return nil }
            return requested ?? .succeeded
        }
        if let outcome { super.finishRequested(outcome) } else { shell?.taskRan(self) }
    }

    /// Called when the task is cancelled, or times out, while it is executing.
    ///
    /// The default finishes a task that ``finishesAsynchronously``, because a launch must not wait
    /// for a task that ignores its cancellation. Any other task finishes when ``main(context:)``
    /// returns.
    open override func didCancel() {
        if finishesAsynchronously { finish() }
    }

    // MARK: For JobKit

    /// The shell of the workflow that the task was added to.
    private var shell: TaskWorkflowShell? { workflow.withLock { $0.shell } }

    /// Adds the task to a workflow, or returns the one to which it belongs already.
    final func claim(for shell: TaskWorkflowShell) -> TaskWorkflowShell? {
        workflow.withLock { workflow in
            let owner = workflow.shell
            if owner == nil { workflow.shell = shell }
            return owner
        }
    }

    override var reasonNotStarted: String? { shell?.reasonNotStarted(self) }

    override var predecessorIDs: [Int] {
        super.predecessorIDs + (shell?.predecessors(of: self) ?? [])
    }

    override func finishRequested(_ outcome: OperationOutcome) {
        let isKept = phase.withLock { phase in
            guard case .insideMain(let earlier) = phase else {
                phase = .open
                return false
            }
            phase = .insideMain(requested: earlier ?? outcome)
            return true
        }
        if !isKept { super.finishRequested(outcome) }
    }

    override func becameFinished() {
        super.becameFinished()
        shell?.taskFinished(self)
    }

    override func readinessChanged() {
        if queue == .mainQueue, let shell { MainThread.wake(shell) }
    }
}

/// The queue on which a launch task runs.
public enum LaunchTaskQueue: Sendable {
    /// On the main thread, in the order added.
    case mainQueue
    /// On the workflow's queue, concurrently, as soon as the stage opens.
    case concurrentQueue
}

/// Values for every task of a workflow, such as launch options or a window.
public typealias LaunchContext = [String: any Sendable]
