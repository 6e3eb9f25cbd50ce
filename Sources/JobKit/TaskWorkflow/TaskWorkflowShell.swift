/// Owns a workflow's only lock of its own; submits tasks, and serves the main thread, without it.
final class TaskWorkflowShell: OperationScheduling, Sendable {
    typealias Machine = TaskWorkflowStateMachine<TaskRecord>

    // The delegate need not be `Sendable`: it is handed over under the lock, and called on the main
    // thread.
    struct WeakDelegate: Sendable {
        nonisolated(unsafe) weak var object: (any TaskWorkflowDelegate)?
    }

    /// How far the news of the finish has come.
    enum Telling {
        case none
        case due(TaskWorkflow)
        case told
    }

    struct State {
        var machine = Machine()
        var record = LaunchRecord()
        var context: LaunchContext = [:]
        var delegate = WeakDelegate()
        /// What is to be done on the main thread: tasks that have their turn, and the delegate.
        var mainTasks = FIFO<LaunchTask>()
        var telling = Telling.none
        var isServing = false
        /// Something changed since the one who serves looked.
        var hasNews = false
        /// The main thread is being blocked, and is told of the end even without a delegate.
        var isAwaitedOnMainThread = false
        var waiters: [@Sendable () -> Void] = []
    }

    let state = Guarded(State())

    var delegate: (any TaskWorkflowDelegate)? {
        get { state.withLock { $0.delegate }.object }
        set {
            let delegate = WeakDelegate(object: newValue)
            state.withLock { $0.delegate = delegate }
        }
    }

    var context: LaunchContext {
        get { state.withLock { $0.context } }
        set { state.withLock { $0.context = newValue } }
    }

    var isLaunched: Bool { state.withLock { $0.machine.isStarted } }

    // MARK: The plan

    struct AddedTask {
        let task: TaskRecord
        let queue: LaunchTaskQueue
        let name: String
        let eventID: Int
    }

    /// Notes tasks that the job tracks already; returns their numbers.
    ///
    /// The caller passes the actions to ``perform(_:)`` when the tasks know their numbers.
    func add(_ records: [AddedTask], asGroup: Bool) -> (Range<Int>, [Machine.Action]) {
        state.withLock { state in
            for record in records {
                state.record.taskAdded(record.name, eventID: record.eventID)
            }
            guard !asGroup else {
                return state.machine.groupAdded(records.map { ($0.task, $0.queue) })
            }
            var (indices, actions) = (0..<0, [Machine.Action]())
            for record in records {
                let (index, more) = state.machine.taskAdded(record.task, queue: record.queue)
                indices = index..<index + 1
                actions += more
            }
            return (indices, actions)
        }
    }

    /// The numbers in events of the tasks that a task waited for in addition to its dependencies.
    func predecessors(of index: Int) -> [Int] {
        state.withLock { state in
            state.machine.predecessors(of: index).map { state.record.tasks[$0].eventID }
        }
    }

    func addGate(_ name: String) {
        state.withLock { $0.machine.gateAdded(name) }
    }

    func openGate(_ name: String) {
        send { state in
            let (gates, actions) = state.machine.gateOpened(name)
            let now = ContinuousClock.now
            for gate in gates { state.record.gateOpened(gate, at: now) }
            return actions
        }
    }

    // MARK: What happens

    func workflowBegan() {
        let now = ContinuousClock.now
        state.withLock { $0.record.workflowBegan(at: now) }
    }

    /// `main()` has returned: the first stage opens.
    func launch() {
        send { $0.machine.started() }
    }

    func taskBegan(_ index: Int?, _ task: LaunchTask) {
        guard let index else { return }
        let name = task.label
        state.withLock { $0.record.taskBegan(index, name: name, at: .now) }
        LaunchSignposts.taskBegan(task)
    }

    func taskRan(_ index: Int?) {
        guard let index else { return }
        send { state in
            state.record.taskRan(index, at: .now)
            return state.machine.taskRan(index)
        }
    }

    func taskFinished(_ index: Int?, _ task: LaunchTask) {
        guard let index else { return }
        let ending: LaunchRecord.Ending =
            switch task.outcome {
            case .cancelled: .cancelled
            case .failed: .failed
            case .succeeded, nil: .succeeded
            }
        if task.currentLifecycle.contains(.entered) { LaunchSignposts.taskEnded(task) }
        send { state in
            state.record.taskEnded(index, as: ending, at: .now)
            return state.machine.taskFinished(index, hasFailed: ending == .failed)
        }
    }

    /// The task was delivered: if it has failed, the workflow carries on.
    func taskDelivered(_ index: Int?) {
        guard let index else { return }
        send { $0.machine.carryOnAnswered(about: index) }
    }

    func send(_ input: (inout State) -> [Machine.Action]) {
        perform(state.withLock { input(&$0) })
    }

    func perform(_ actions: [Machine.Action]) {
        for action in actions {
            switch action {
            case .recordOpening(let stage):
                state.withLock { $0.record.stageOpened(stage, at: .now) }
            case .submit(let record):
                record.shell.submitLater(record)
            }
        }
    }
}
