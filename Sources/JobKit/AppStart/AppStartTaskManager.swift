import Dispatch

/// Runs start-up tasks strictly one after another, until one fails.
///
/// ```swift
/// let manager = AppStartTaskManager.shared
/// manager.delegate = self
/// manager.addStartupTask(ChooseServer())
/// manager.addStartupTask(LoadConfiguration())
/// manager.startAllTasks()
/// ```
///
/// The manager is a start-up task itself, and the first in its own queue: a subclass that overrides
/// ``start(delegate:)`` does its own work before the others.
///
/// A task leaves the queue as it starts. It starts on the thread on which the previous task
/// reported that it completed. Tasks that complete inside `start(delegate:)` run in a loop, at
/// constant stack depth.
///
/// A running chain keeps the manager alive until the delegate was notified of its end, and each
/// task until it has reported. Otherwise the manager does not keep itself alive.
///
/// > Thread: Any. Tasks and the delegate are called without a lock held.
// Unchecked because the class is open. Its own state stands behind the lock of `shell`, and a
// subclass guards what it adds.
open class AppStartTaskManager: AppStartTask, AppStartTaskDelegate, @unchecked Sendable {
    /// The manager of the app's start.
    public static let shared = AppStartTaskManager()

    private let shell = AppStartShell()

    /// Creates a manager whose queue holds the manager itself.
    public init() {
        removeAllStartupTasks()
    }

    deinit {
        shell.removeAll()
    }

    /// Follows the chain; held weakly.
    public var delegate: (any AppStartTaskManagerDelegate)? {
        get { shell.delegate }
        set { shell.delegate = newValue }
    }

    /// Where the tasks start and the delegate is called; nil, the default: on the thread of the
    /// last report.
    ///
    /// Set it to `.main`, before the start, if a task or the delegate belongs to the main actor.
    /// Their methods are then called there one after another, after ``startAllTasks()`` has
    /// returned.
    public final var callbackQueue: DispatchQueue? {
        get { shell.callbackQueue }
        set { shell.callbackQueue = newValue }
    }

    /// Adds a task to the end of the queue, even while the chain runs.
    ///
    /// A task that is added twice runs twice, one turn after the other.
    ///
    /// - Parameter task: The task. Retained until it has reported its end, or until it is removed.
    public func addStartupTask(_ task: any AppStartTask) {
        shell.add(StartupEntry(task, in: self))
    }

    /// Removes a task from the queue unless it has started.
    ///
    /// A task that has started continues, and the chain waits for its end. The cost grows with the
    /// length of the queue.
    ///
    /// - Parameter task: The task.
    public func removeStartupTask(_ task: any AppStartTask) {
        shell.remove(ObjectIdentifier(task))
    }

    /// Empties the queue except for the manager itself, which becomes the first task again.
    ///
    /// A task that has started continues, and the chain waits for its end.
    public func removeAllStartupTasks() {
        shell.removeAll(leaving: StartupEntry(self, in: self))
    }

    /// Starts the first task of the queue; the others follow.
    ///
    /// After a failure, continues with the next task. Does nothing while a chain runs. With an
    /// empty queue, the chain completes at once.
    public func startAllTasks() {
        shell.start(self)
    }

    // MARK: The manager as a task

    /// The name of the manager's own task: the name of its class, unless overridden.
    open var taskName: String {
        String(describing: type(of: self))
    }

    /// Does the manager's own work; the default completes at once.
    ///
    /// An override reports to the delegate, now or later, how the work ended. It does not call
    /// `super`.
    ///
    /// - Parameter delegate: Receives the report.
    open func start(delegate: any AppStartTaskDelegate) {
        delegate.startupTaskDidComplete(self)
    }

    // MARK: The manager as a delegate

    /// Continues with the next task, if it is this task's turn.
    ///
    /// A task that is queued several times reports to the delegate of its start, which knows the
    /// turn. A report made here counts for the task's current turn.
    ///
    /// - Parameter task: The reporting task.
    public func startupTaskDidComplete(_ task: any AppStartTask) {
        shell.taskDidEnd(.task(ObjectIdentifier(task)))
    }

    /// Stops the chain, if it is this task's turn.
    ///
    /// - Parameters:
    ///   - task: The reporting task.
    ///   - error: What went wrong, passed on to the delegate.
    public func startupTaskDidFail(_ task: any AppStartTask, error: any Error) {
        shell.taskDidEnd(.task(ObjectIdentifier(task)), error: error)
    }
}

/// Follows a chain of start-up tasks.
///
/// A main-actor class conforms with `@MainActor AppStartTaskManagerDelegate`, and sets the
/// manager's ``AppStartTaskManager/callbackQueue`` to `.main`.
///
/// > Thread: The manager's ``AppStartTaskManager/callbackQueue``; without one, the thread on which
/// > the task reported, or on which the chain was started. The methods are called one at a time
/// > without a lock held, and may call every method of the manager.
public protocol AppStartTaskManagerDelegate: AnyObject {
    /// A task has completed; the next one has not started yet, and tasks may still be added.
    ///
    /// - Parameter task: The task. It may be the manager itself, which is its own first task.
    func taskDidComplete(_ task: any AppStartTask)

    /// The queue is empty and the last task has completed.
    func taskManagerDidComplete()

    /// A task has failed, and the chain has stopped after it.
    ///
    /// The remaining tasks stay in the queue. ``AppStartTaskManager/startAllTasks()`` continues
    /// with the next, and may be called here.
    ///
    /// - Parameters:
    ///   - task: The task that failed.
    ///   - error: What went wrong, as the task reported it.
    func taskManagerDidFail(_ task: any AppStartTask, error: any Error)
}
