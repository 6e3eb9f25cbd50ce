import Foundation

// Operation forces @unchecked. Everything that changes stands behind a lock.
/// One task of an app's launch.
///
/// A subclass overrides ``main(context:)`` and says by its `queue` where that runs:
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
/// The task finishes when ``main(context:)`` returns, also if it was cancelled meanwhile, unless it
/// ``finishesAsynchronously``.
open class LaunchTask: ConcurrentOperation, @unchecked Sendable {
    /// A task that finishes when its `main(context:)` returns keeps what a finish brings till then.
    private enum Phase {
        case outsideMain
        case insideMain(requested: OperationOutcome?)
    }

    /// Where the task runs.
    public final let queue: LaunchTaskQueue

    let place = Guarded<LaunchPlace?>(nil)
    private let phase = Guarded(Phase.outsideMain)

    /// Makes a task that has not been started.
    ///
    /// - Parameters:
    ///   - name: What the timeline and messages call the task; nil: the name of its class.
    ///   - queue: Where it runs.
    public init(name: String? = nil, queue: LaunchTaskQueue = .mainQueue) {
        self.queue = queue
        super.init()
        self.name = name ?? String(describing: type(of: self))
    }

    // MARK: For subclasses

    /// Does the work; the default does nothing.
    ///
    /// Called once, on the main thread or on one of the workflow's queue, as the task's `queue`
    /// says, and never if the task was cancelled before. Returning finishes the task as a success,
    /// or as what the first finish inside said, unless it ``finishesAsynchronously``.
    ///
    /// - Parameter context: What the workflow was started with; empty without a workflow.
    open func main(context: LaunchContext) {}

    /// Whether the task goes on after ``main(context:)`` has returned: false unless overridden.
    ///
    /// Then `finish()` ends it, from any thread. Main-queue tasks behind it go on as soon as
    /// ``main(context:)`` has returned; the end of its blocking group waits for the finish.
    open var finishesAsynchronously: Bool { false }

    /// Calls ``main(context:)`` with the workflow's context.
    public final override func main() {
        let place = place.withLock { $0 }
        place?.effects?.taskBegan(place?.index, self)
        let context = place?.effects?.context ?? [:]
        guard !finishesAsynchronously else {
            main(context: context)
            place?.effects?.taskRan(place?.index)
            return
        }
        phase.withLock { $0 = .insideMain(requested: nil) }
        main(context: context)
        let requested = phase.withLock { phase -> OperationOutcome? in
            defer { phase = .outsideMain }
            guard case .insideMain(let requested) = phase else { return nil }
            return requested
        }
        super.finishRequested(requested ?? .succeeded)
    }

    /// Called when the task is cancelled, or overruns its time, while it is executing.
    ///
    /// The default finishes a task that ``finishesAsynchronously``, and leaves any other to return
    /// from ``main(context:)``.
    open override func didCancel() {
        if finishesAsynchronously { finish() }
    }

    // MARK: For JobKit

    /// The numbers in events of the tasks that this one waited for because of its stage.
    var stagePredecessors: [Int] {
        guard let place = place.withLock({ $0 }), let index = place.index else { return [] }
        return place.effects?.predecessors(of: index) ?? []
    }

    override func finishRequested(_ outcome: OperationOutcome) {
        let isKept = phase.withLock { phase in
            guard case .insideMain(let earlier) = phase else { return false }
            phase = .insideMain(requested: earlier ?? outcome)
            return true
        }
        if !isKept { super.finishRequested(outcome) }
    }

    override func becameFinished() {
        super.becameFinished()
        guard let place = place.withLock({ $0 }), let effects = place.effects else { return }
        effects.taskFinished(place.index, self)
    }

    override func readinessChanged() {
        guard queue == .mainQueue else { return }
        place.withLock { $0 }?.effects?.wakeMainThread()
    }
}
