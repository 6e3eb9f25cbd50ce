import Dispatch

/// Owns the manager's only lock, and calls tasks and the delegate after releasing it.
final class AppStartShell: Sendable {
    typealias Machine = AppStartStateMachine<StartupEntry, any Error>

    // The delegate need not be `Sendable`, because it is passed on under the lock and called on one
    // thread at a time.
    private struct WeakDelegate: Sendable {
        nonisolated(unsafe) weak var object: (any AppStartTaskManagerDelegate)?
    }

    private struct State {
        var machine = Machine()
        var actions = ActionQueue<Machine.Action>()
        var delegate = WeakDelegate()
        /// The queue on which tasks start and the delegate is called.
        ///
        /// Nil for the thread of the last report.
        var callbackQueue: DispatchQueue?
        /// Keeps the manager alive while a chain runs.
        var manager: AppStartTaskManager?
        /// Keeps the delegate of the current turn alive, for tasks that hold it weakly.
        var turn: StartupTurn?
    }

    private let guarded = Guarded(State())

    var delegate: (any AppStartTaskManagerDelegate)? {
        get { guarded.withLock { $0.delegate }.object }
        set {
            let delegate = WeakDelegate(object: newValue)
            guarded.withLock { $0.delegate = delegate }
        }
    }

    var callbackQueue: DispatchQueue? {
        get { guarded.withLock { $0.callbackQueue } }
        set { guarded.withLock { $0.callbackQueue = newValue } }
    }

    func add(_ entry: StartupEntry) {
        guarded.withLock { $0.machine.taskAdded(entry) }
    }

    func remove(_ task: ObjectIdentifier) {
        _ = guarded.withLock { $0.machine.taskRemoved(task) }
    }

    func removeAll(leaving entry: StartupEntry? = nil) {
        _ = guarded.withLock { state in
            defer { if let entry { state.machine.taskAdded(entry) } }
            return state.machine.allTasksRemoved()
        }
    }

    func start(_ manager: AppStartTaskManager) {
        send { state in
            state.manager = manager
            return state.machine.startRequested()
        }
    }

    func taskDidEnd(_ task: any AppStartTask, turn: Int? = nil, error: (any Error)? = nil) {
        let id = ObjectIdentifier(task)
        send { $0.machine.endReported(error, by: id, turn: turn) }
    }

    private func send(_ input: (inout State) -> [Machine.Action]) {
        let (mustDeliver, queue) = guarded.withLock { state in
            (state.actions.actionsDecided(input(&state)), state.callbackQueue)
        }
        guard mustDeliver else { return }
        if let queue { queue.async { self.deliver() } } else { deliver() }
    }

    private func deliver() {
        while let action = nextAction() { perform(action) }
    }

    /// Takes the oldest action, or releases the manager if there is none and no chain runs.
    private func nextAction() -> Machine.Action? {
        let (action, _) = guarded.withLock { state -> (Machine.Action?, AppStartTaskManager?) in
            let action = state.actions.nextAction()
            guard action == nil, !state.machine.isRunning else { return (action, nil) }
            state.turn = nil
            return (nil, state.manager.take())
        }
        return action
    }

    private func perform(_ action: Machine.Action) {
        switch action {
        case .beginTurn: beginTurn()
        case .notify(let entry, let error):
            guard let delegate, let task = task(of: entry) else { return }
            if let error {
                delegate.taskManagerDidFail(task, error: error)
            } else {
                delegate.taskDidComplete(task)
            }
        }
    }

    private func beginTurn() {
        let (turn, delegateOfTurn) = guarded.withLock { state in
            let turn = state.machine.turnBegan()
            state.turn = turn.map { StartupTurn($0, shell: self) }
            return (turn, state.turn)
        }
        guard let turn, let delegateOfTurn else {
            delegate?.taskManagerDidComplete()
            return
        }
        task(of: turn.task)?.start(delegate: delegateOfTurn)
    }

    private func task(of entry: StartupEntry) -> (any AppStartTask)? {
        entry.task ?? guarded.withLock { $0.manager }
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
