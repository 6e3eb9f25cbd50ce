import Foundation

// Operation forces @unchecked. Everything that changes stands behind a lock.
/// A task of an app's launch.
///
/// A subclass overrides ``main(context:)``; its `queue` decides where that runs:
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
/// The task finishes when ``main(context:)`` returns, even if it was cancelled meanwhile. A task
/// that ``finishesAsynchronously`` finishes when it calls `finish()`.
open class LaunchTask: ConcurrentOperation, @unchecked Sendable {
    /// A task that finishes when its `main(context:)` returns keeps what a finish brings until
    /// then.
    private enum Phase {
        case beforeMain
        /// A finish came first: `main(context:)` is not called any more.
        case finishedBeforeMain
        case insideMain(requested: OperationOutcome?)
        /// From now on a finish counts at once.
        case open
    }

    /// Where the task runs.
    public final let queue: LaunchTaskQueue

    let position = Guarded<LaunchPosition?>(nil)
    private let phase = Guarded(Phase.beforeMain)

    /// Creates a task that has not been started.
    ///
    /// - Parameters:
    ///   - name: The task's name in the timeline and in messages; nil for the name of its class.
    ///   - queue: Where it runs.
    public init(name: String? = nil, queue: LaunchTaskQueue = .mainQueue) {
        self.queue = queue
        super.init()
        self.name = name ?? String(describing: type(of: self))
    }

    // MARK: For subclasses

    /// Does the work; the default does nothing.
    ///
    /// Called once, on the main thread or on a thread of the workflow's queue, as the task's
    /// `queue` says; never called if the task was cancelled before. Returning finishes the task,
    /// unless it ``finishesAsynchronously``: as a success, or with the outcome of the first
    /// `finish` called inside.
    ///
    /// - Parameter context: The context that the workflow was started with; empty without a
    ///   workflow.
    open func main(context: LaunchContext) {}

    /// Whether the task continues after ``main(context:)`` has returned: false unless overridden.
    ///
    /// If true, `finish()` ends the task, from any thread. The next main-queue task starts as soon
    /// as ``main(context:)`` has returned; the end of its blocking group waits for the finish.
    open var finishesAsynchronously: Bool { false }

    /// Calls ``main(context:)`` with the workflow's context.
    public final override func main() {
        let position = position.withLock { $0 }
        position?.shell?.taskBegan(position?.index, self)
        let context = position?.shell?.context ?? [:]
        let isAsynchronous = finishesAsynchronously
        let mayEnter = phase.withLock { phase in
            guard case .beforeMain = phase else { return false }
            phase = isAsynchronous ? .open : .insideMain(requested: nil)
            return true
        }
        if mayEnter { main(context: context) }
        guard mayEnter, !isAsynchronous else {
            position?.shell?.taskRan(position?.index)
            return
        }
        let requested = phase.withLock { phase -> OperationOutcome? in
            defer { phase = .open }
            guard case .insideMain(let requested) = phase else { return nil }
            return requested
        }
        super.finishRequested(requested ?? .succeeded)
    }

    /// Called when the task is cancelled, or has timed out, while it is executing.
    ///
    /// The default finishes a task that ``finishesAsynchronously``, because a launch must not wait
    /// for a task that ignores its cancellation. Any other task finishes when ``main(context:)``
    /// returns.
    open override func didCancel() {
        if finishesAsynchronously { finish() }
    }

    // MARK: For JobKit

    /// Why the task, which stands in no ``TaskQueue``, has not been started; nil without a
    /// workflow.
    override var reasonNotStarted: String? {
        guard let position = position.withLock({ $0 }), let index = position.index,
            let shell = position.shell
        else { return nil }
        return shell.reasonToWait(of: index)
            ?? (queue == .mainQueue ? "waits for the main thread" : nil)
    }

    override var predecessorIDs: [Int] {
        guard let position = position.withLock({ $0 }), let index = position.index else {
            return super.predecessorIDs
        }
        return super.predecessorIDs + (position.shell?.predecessors(of: index) ?? [])
    }

    override func finishRequested(_ outcome: OperationOutcome) {
        let isKept = phase.withLock { phase in
            switch phase {
            case .beforeMain: phase = .finishedBeforeMain
            case .insideMain(let earlier):
                phase = .insideMain(requested: earlier ?? outcome)
                return true
            case .finishedBeforeMain, .open: break
            }
            return false
        }
        if !isKept { super.finishRequested(outcome) }
    }

    override func becameFinished() {
        super.becameFinished()
        guard let position = position.withLock({ $0 }), let shell = position.shell else { return }
        shell.taskFinished(position.index, self)
    }

    override func readinessChanged() {
        guard queue == .mainQueue else { return }
        position.withLock { $0 }?.shell?.wakeMainThread()
    }
}

/// The workflow that a launch task was added to, and its number there.
struct LaunchPosition: Sendable {
    weak var shell: TaskWorkflowShell?
    /// Nil while the task is being added.
    var index: Int?
}

/// Where a launch task runs.
public enum LaunchTaskQueue: Sendable {
    /// On the main thread, in the order added.
    case mainQueue
    /// On a thread of the workflow's queue, concurrently with others, as soon as its stage opens.
    case concurrentQueue
}

/// Values that the start of a workflow passes to every task: launch options, a window, a user.
public typealias LaunchContext = [String: any Sendable]
