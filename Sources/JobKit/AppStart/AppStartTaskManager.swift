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
/// A task starts on the thread on which the one before it said that it completed, and leaves the
/// queue as it starts. Tasks that complete inside `start(delegate:)` follow each other in a loop, at
/// the same depth of the stack however many they are.
///
/// A running chain keeps the manager alive until the delegate was told its end, and its tasks until
/// each was told. A manager whose chain does not run goes with the last reference to it.
///
/// > Thread: Any. Neither a task nor the delegate is called under a lock.
// Unchecked because the class is open. Its own state stands behind the lock of `effects`, and a
// subclass guards what it adds.
open class AppStartTaskManager: AppStartTask, AppStartTaskDelegate, @unchecked Sendable {
    /// The manager of the app's start.
    public static let shared = AppStartTaskManager()

    private let effects = AppStartEffects()

    /// Makes a manager whose queue holds the manager itself.
    public init() {
        removeAllStartupTasks()
    }

    deinit {
        effects.removeAll()
    }

    /// Who follows the chain; held weakly.
    public var delegate: (any AppStartTaskManagerDelegate)? {
        get { effects.delegate }
        set { effects.delegate = newValue }
    }

    /// Adds a task behind all others, also while the chain runs.
    ///
    /// A task that is added twice runs twice, one turn after the other.
    ///
    /// - Parameter task: The task. Kept until its end was told, or until it is removed.
    public func addStartupTask(_ task: any AppStartTask) {
        effects.add(StartupEntry(task, in: self))
    }

    /// Removes a task that has not started from the queue, wherever it stands there.
    ///
    /// A task that has started goes on, and the chain waits for its end.
    ///
    /// - Parameter task: The task.
    public func removeStartupTask(_ task: any AppStartTask) {
        effects.remove(ObjectIdentifier(task))
    }

    /// Empties the queue but for the manager itself, which is the first task again.
    ///
    /// A task that has started goes on, and the chain waits for its end.
    public func removeAllStartupTasks() {
        effects.removeAll(leaving: StartupEntry(self, in: self))
    }

    /// Starts the first task of the queue; the others follow.
    ///
    /// After a failure it goes on with the next task. While a chain runs it does nothing. With an
    /// empty queue the chain completes at once.
    public func startAllTasks() {
        effects.start(self)
    }

    // MARK: The manager as a task

    /// What people call the manager's own task: the name of its class, unless overridden.
    open var taskName: String {
        String(describing: type(of: self))
    }

    /// Does the manager's own work; the default completes at once.
    ///
    /// An override says to the delegate, now or later, how the work ended, and does not call `super`.
    ///
    /// - Parameter delegate: Who is told the end.
    open func start(delegate: any AppStartTaskDelegate) {
        delegate.startupTaskDidComplete(self)
    }

    // MARK: The manager as a delegate

    /// Goes on with the next task, if it is this task's turn.
    ///
    /// A task that is queued several times speaks by the delegate of its start, which knows the turn;
    /// here, the word counts for the turn that the task has now.
    ///
    /// - Parameter task: The task that speaks.
    public func startupTaskDidComplete(_ task: any AppStartTask) {
        effects.taskDidComplete(.task(ObjectIdentifier(task)))
    }

    /// Stops the chain, if it is this task's turn.
    ///
    /// - Parameters:
    ///   - task: The task that speaks.
    ///   - error: What went wrong, passed on to the delegate.
    public func startupTaskDidFail(_ task: any AppStartTask, error: any Error) {
        effects.taskDidFail(.task(ObjectIdentifier(task)), error: error)
    }
}
