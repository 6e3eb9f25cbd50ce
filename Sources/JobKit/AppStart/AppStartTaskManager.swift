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
/// The manager is a start-up task itself, and the first one in its own queue. A subclass can
/// override ``start(delegate:)`` to do its own work before the other tasks.
///
/// A task leaves the queue when it starts. It starts on the thread on which the previous task
/// reported its completion. Tasks that complete inside `start(delegate:)` run in a loop, at
/// constant stack depth.
///
/// A running chain keeps the manager alive until the delegate was notified of the chain's end. It
/// keeps each task alive until the task has reported. Otherwise, the manager does not keep itself
/// alive.
///
/// > Thread: Any. No lock is held while tasks and the delegate are called.
// Unchecked because the class is open. A lock guards its own state, and a subclass must guard the
// state that it adds.
open class AppStartTaskManager: AppStartTask, AppStartTaskDelegate, @unchecked Sendable {
    /// The manager of the app's start.
    public static let shared = AppStartTaskManager()

    private struct State {
        var machine = AppStartStateMachine<StartupEntry, any Error>()
        // The delegate need not be `Sendable`, because it is called on one thread at a time.
        nonisolated(unsafe) weak var delegate: (any AppStartTaskManagerDelegate)?
        var callbackQueue: DispatchQueue?
        /// Keeps the manager alive while a chain runs.
        var manager: AppStartTaskManager?
        /// Keeps the delegate of the current turn alive, for tasks that hold it weakly.
        var turn: StartupTurn?
    }

    private let state = Guarded(State())

    /// Creates a manager with only itself in its queue.
    public init() {
        removeAllStartupTasks()
    }

    /// The delegate, which follows the chain.
    ///
    /// It is held weakly.
    public var delegate: (any AppStartTaskManagerDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// The queue on which the tasks start and the delegate is called.
    ///
    /// Nil, the default, for the thread of the last report.
    ///
    /// If a task or the delegate belongs to the main actor, set this to `.main` before the start.
    /// Their methods are then called there one after another, after ``startAllTasks()`` has
    /// returned.
    public final var callbackQueue: DispatchQueue? {
        get { state.withLock { $0.callbackQueue } }
        set { state.withLock { $0.callbackQueue = newValue } }
    }

    /// Adds a task to the end of the queue, even while the chain runs.
    ///
    /// A task that is added twice runs twice, one turn after the other.
    ///
    /// - Parameter task: The task. It is retained until it has reported its end or is removed.
    public func addStartupTask(_ task: any AppStartTask) {
        let entry = StartupEntry(task, in: self)
        state.withLock { $0.machine.taskAdded(entry) }
    }

    /// Removes a task from the queue unless it has started.
    ///
    /// A task that has started continues, and the chain waits for its end. The time is proportional
    /// to the length of the queue.
    ///
    /// - Parameter task: The task.
    public func removeStartupTask(_ task: any AppStartTask) {
        let id = ObjectIdentifier(task)
        _ = state.withLock { $0.machine.tasksRemoved(id) }
    }

    /// Removes all tasks except the manager itself, which becomes the first task again.
    ///
    /// A task that has started continues, and the chain waits for its end.
    public func removeAllStartupTasks() {
        let entry = StartupEntry(self, in: self)
        _ = state.withLock { state in
            defer { state.machine.taskAdded(entry) }
            return state.machine.tasksRemoved(nil)
        }
    }

    /// Starts the first task of the queue, and then the others one after another.
    ///
    /// After a failure, this continues with the next task. While a chain runs, it has no effect. If
    /// the queue is empty, the chain completes immediately.
    public func startAllTasks() {
        send { state in
            state.manager = self
            return state.machine.startRequested()
        }
    }

    // MARK: The manager as a task

    /// The name of the manager's own task, which is the name of its class unless overridden.
    open var taskName: String {
        String(describing: type(of: self))
    }

    /// Does the manager's own work.
    ///
    /// The default completes at once. An override must report to the delegate, now or later, how
    /// the work ended. It does not call `super`.
    ///
    /// - Parameter delegate: Receives the report.
    open func start(delegate: any AppStartTaskDelegate) {
        delegate.startupTaskDidComplete(self)
    }

    // MARK: The manager as a delegate

    /// Continues with the next task, if it is this task's turn.
    ///
    /// If a task was added several times, it should report to the delegate that its start received,
    /// which distinguishes its turns. A report to the manager counts for the task's current turn.
    ///
    /// - Parameter task: The reporting task.
    public func startupTaskDidComplete(_ task: any AppStartTask) {
        taskDidEnd(task)
    }

    /// Stops the chain, if it is this task's turn.
    ///
    /// - Parameters:
    ///   - task: The reporting task.
    ///   - error: The reason for the failure, which the delegate receives.
    public func startupTaskDidFail(_ task: any AppStartTask, error: any Error) {
        taskDidEnd(task, error: error)
    }

    // MARK: Delivering

    final func taskDidEnd(_ task: any AppStartTask, turn: Int? = nil, error: (any Error)? = nil) {
        let id = ObjectIdentifier(task)
        send { $0.machine.endReported(error, by: id, turn: turn) }
    }

    private func send(_ input: (inout State) -> Bool) {
        let (mustDeliver, queue) = state.withLock { (input(&$0), $0.callbackQueue) }
        guard mustDeliver else { return }
        if let queue { queue.async { self.deliver() } } else { deliver() }
    }

    private func deliver() {
        while let action = state.withLock({ $0.machine.nextAction() }) {
            switch action {
            case .notify(let entry, nil): delegate?.taskDidComplete(entry.task ?? self)
            case .notify(let entry, let error?):
                delegate?.taskManagerDidFail(entry.task ?? self, error: error)
            case .start(let entry, let number):
                let turn = StartupTurn(number, of: entry.id, in: self)
                state.withLock { $0.turn = turn }
                (entry.task ?? self).start(delegate: turn)
            case .notifyOfEnd: delegate?.taskManagerDidComplete()
            }
        }
        // The reference that keeps the manager alive is released without the lock.
        _ = state.withLock { $0.machine.isRunning ? nil : $0.manager.take() }
    }
}

/// An entry of a manager's queue, which is a task or the manager itself.
struct StartupEntry: Identifiable, Sendable {
    let id: ObjectIdentifier

    // Tasks need not be `Sendable`, because the manager passes a task from thread to thread under
    // its lock, and calls it on one thread at a time.
    /// The entry's task.
    ///
    /// Nil for the manager, which would otherwise keep itself alive.
    nonisolated(unsafe) let task: (any AppStartTask)?

    init(_ task: any AppStartTask, in manager: AppStartTaskManager) {
        id = ObjectIdentifier(task)
        self.task = task === manager ? nil : task
    }
}

/// Follows a chain of start-up tasks.
///
/// A main-actor class conforms with `@MainActor AppStartTaskManagerDelegate`, and sets the
/// manager's ``AppStartTaskManager/callbackQueue`` to `.main`.
///
/// > Thread: The manager's ``AppStartTaskManager/callbackQueue``. If it is nil, the thread on which
/// > the task reported or on which the chain was started. The methods are called one at a time,
/// > while no lock is held, and may call every method of the manager.
public protocol AppStartTaskManagerDelegate: AnyObject {
    /// Called when a task has completed and the next one has not started.
    ///
    /// More tasks may be added here.
    ///
    /// - Parameter task: The task. It may be the manager itself, which is its own first task.
    func taskDidComplete(_ task: any AppStartTask)

    /// Called when the last task has completed and the queue is empty.
    func taskManagerDidComplete()

    /// Called when a task has failed and the chain has stopped.
    ///
    /// The remaining tasks stay in the queue. To continue with the next one, call
    /// ``AppStartTaskManager/startAllTasks()``, which is also possible here.
    ///
    /// - Parameters:
    ///   - task: The task that failed.
    ///   - error: The error that the task reported.
    func taskManagerDidFail(_ task: any AppStartTask, error: any Error)
}
