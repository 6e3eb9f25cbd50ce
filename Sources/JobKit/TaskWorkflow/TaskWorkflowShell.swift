import Dispatch
import Foundation

/// Owns the workflow's own lock, submits its tasks, and runs those of the main queue.
///
/// For the job, it is the queue of the main-queue tasks. It keeps those that have their turn until
/// the main thread *drains* the workflow: runs these tasks and notifies the delegate. Tasks are
/// submitted and run after the lock is released.
final class TaskWorkflowShell: OperationScheduling, Sendable {
    private struct State {
        var machine = TaskWorkflowStateMachine()
        var records: [TaskRecord] = []
        var timeline = LaunchTimeline()
        /// The numbers of the tasks, by their numbers in events.
        var numbers: [Int: Int] = [:]
        var context: LaunchContext = [:]
        // The delegate need not be `Sendable`, because it is called on the main thread.
        nonisolated(unsafe) weak var delegate: (any TaskWorkflowDelegate)?
        /// The main-queue tasks that have their turn.
        var mainTasks = FIFO<Operation>()
        /// The finished workflow, until the main thread notifies its delegate.
        var workflowToNotifyOf: TaskWorkflow?
        /// Whether a call on the main thread's stack drains the workflow.
        var isDraining = false
        /// Nil once the delegate was called, or the workflow has finished without one.
        var waiters: [@Sendable () -> Void]? = []
    }

    private let state = Guarded(State())

    var delegate: (any TaskWorkflowDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    var context: LaunchContext {
        get { state.withLock { $0.context } }
        set { state.withLock { $0.context = newValue } }
    }

    var isLaunched: Bool { state.withLock { $0.machine.isStarted } }

    // MARK: Reading

    /// Returns the number of an unfinished task of the workflow.
    func number(of operation: Operation) -> Int? {
        guard let task = operation as? LaunchTask, !task.isFinished else { return nil }
        return read(task) { $1 }
    }

    /// Returns the names of a task and of a dependency that can finish only after the task.
    ///
    /// Nil if there are none.
    func impossibleDependency(
        among dependencies: [Int: [Int]]
    ) -> (task: String, dependency: String)? {
        let (machine, tasks) = state.withLock { ($0.machine, $0.timeline.tasks) }
        return machine.impossibleDependency(among: dependencies)
            .map { (tasks[$0.task].name, tasks[$0.dependency].name) }
    }

    /// Returns the event numbers of the tasks that a task waited for, apart from its dependencies.
    func predecessors(of task: LaunchTask) -> [Int] {
        let predecessors = read(task) { state, number in
            state.machine.predecessors(of: number).map { state.timeline.tasks[$0].eventID }
        }
        return predecessors ?? []
    }

    /// Returns the reason why a task that is in no ``TaskQueue`` has not been started.
    func reasonNotStarted(_ task: LaunchTask) -> String? {
        let reason = read(task) { state, number in
            switch state.machine.wait(of: number) {
            case .start: "never queued, because its workflow was not started"
            case .gate(let name): "never queued, because the gate \(name) is closed"
            case .tasks(let tasks, let further):
                "waits for "
                    + tasks.map { state.timeline.tasks[$0].name }.joined(separator: ", ")
                    + (further > 0 ? " and \(further) more" : "")
            case nil: task.queue == .mainQueue ? "waits for the main thread" : nil
            }
        }
        return reason ?? nil
    }

    /// Reads the state with the number of a task, or returns nil before the task has one.
    private func read<Value: Sendable>(
        _ task: LaunchTask,
        _ body: (inout State, Int) -> Value
    ) -> Value? {
        let id = task.operationID
        return state.withLock { state in state.numbers[id].map { body(&state, $0) } }
    }

    func timeline(named name: String) -> String {
        let (machine, timeline) = state.withLock { ($0.machine, $0.timeline) }
        return timeline.text(of: machine, named: name, until: .now)
    }

    // MARK: Events

    /// Adds tasks that the job already tracks.
    func add(_ tasks: [LaunchTask], _ records: [TaskRecord], asGroup: Bool) {
        let entries = tasks.map { LaunchTimeline.Task(name: $0.label, eventID: $0.operationID) }
        send { state in
            for (index, entry) in entries.enumerated() {
                state.numbers[entry.eventID] = state.records.count + index
            }
            state.records += records
            state.timeline.tasks += entries
            return state.machine.tasksAdded(tasks.map(\.queue), asGroup: asGroup)
        }
    }

    func addGate(_ name: String) {
        state.withLock { $0.machine.gateAdded(name) }
    }

    func openGate(_ name: String) {
        send { $0.machine.gateOpened(name) }
    }

    /// Opens the first stage, because `main()` has returned.
    func launch() {
        send { $0.machine.started() }
    }

    func taskBegan(_ task: LaunchTask) {
        let name = task.label
        send(of: task) { state, number in
            state.timeline.tasks[number].name = name
            state.timeline.tasks[number].began = .now
            return []
        }
    }

    func taskRan(_ task: LaunchTask) {
        send(of: task) { $0.machine.taskRan($1) }
    }

    func taskFinished(_ task: LaunchTask) {
        let outcome = task.outcome?.description
        send(of: task) { state, number in
            state.timeline.taskEnded(number, outcome, at: .now)
            return state.machine.taskFinished(number, hasFailed: outcome == "failed")
        }
    }

    /// Continues the workflow after a failed task was delivered.
    func taskDelivered(_ task: LaunchTask) {
        send(of: task) { $0.machine.failureAccepted(of: $1) }
    }

    private func send(of task: LaunchTask, _ input: (inout State, Int) -> [Int]) {
        let id = task.operationID
        send { state in state.numbers[id].map { input(&state, $0) } ?? [] }
    }

    /// Feeds an input to the state machine, and submits the tasks that may start.
    private func send(_ input: (inout State) -> [Int]) {
        let submitted = state.withLock { state in
            let numbers = input(&state)
            while state.timeline.openings.count < state.machine.openStages {
                state.timeline.openings.append(.now)
            }
            return numbers.map { state.records[$0] }
        }
        for record in submitted { record.shell.submitLater(record) }
    }

    // MARK: The main thread

    /// Receives a main-queue task from the job when it has its turn.
    ///
    /// The main thread runs one task at a time, in order, and inline if it is the calling thread.
    func addOperation(_ operation: Operation) {
        state.withLock { $0.mainTasks.append(operation) }
        MainThread.wake(self)
    }

    /// Runs the main-queue tasks that are ready, in order, and then notifies the delegate if due.
    ///
    /// The main thread is the calling thread. If a call below on the stack drains the workflow
    /// already, it continues when its current task returns, so tasks are never nested in each other.
    func drain() {
        guard state.withLock({ !exchange(&$0.isDraining, with: true) }) else { return }
        defer { state.withLock { $0.isDraining = false } }
        while true {
            // Whatever changes after this wakes the main thread again.
            let (task, workflow) = state.withLock { ($0.mainTasks.first, $0.workflowToNotifyOf) }
            // `isReady` may be user code, so it is read without the lock.
            // Other code may have started the task already.
            if let task, task.isReady || task.hasStarted {
                _ = state.withLock { $0.mainTasks.popFirst() }
                if !task.hasStarted { task.start() }
            } else if let workflow {
                state.withLock { $0.workflowToNotifyOf = nil }
                if let delegate {
                    MainThread.assumeMainActor(for: workflow.label) {
                        delegate.workflowDidFinish(workflow)
                    }
                }
                delegateNotified()
            } else {
                return
            }
        }
    }

    // MARK: The end

    func workflowFinished(_ workflow: TaskWorkflow) {
        // This is read without the lock, because it may release the last reference to the delegate.
        let hasDelegate = delegate != nil
        // The values may run user code when they are released, so no lock is held.
        _ = state.withLock { state in
            state.timeline.ended = .now
            if hasDelegate { state.workflowToNotifyOf = workflow }
            return exchange(&state.context, with: [:])
        }
        if hasDelegate { MainThread.wake(self) } else { delegateNotified() }
    }

    private func delegateNotified() {
        for waiter in state.withLock({ $0.waiters.take() }) ?? [] { waiter() }
    }

    /// Calls `body` when the delegate was called, or the workflow has finished without one.
    private func whenNotified(_ body: @escaping @Sendable () -> Void) {
        let isWaiting = state.withLock { $0.waiters?.append(body) } != nil
        if !isWaiting { body() }
    }

    /// Waits until the delegate was called, or the workflow has finished without one.
    func waitUntilNotified() async {
        await withCheckedContinuation { continuation in
            whenNotified { continuation.resume() }
        }
    }

    /// Calls `start`, which may start the workflow, and waits for the end on the calling thread.
    ///
    /// - Returns: Whether the delegate was called in time.
    func wait(atMost limit: Duration?, start: () -> Void) -> Bool {
        let isMain = MainThread.isCurrent
        let signal = isMain ? MainThread.signal : DispatchSemaphore(value: 0)
        whenNotified { signal.signal() }
        start()
        guard isMain else { return signal.wait(atMost: limit) }
        return MainThread.drain(waitingAtMost: limit) {
            state.withLock { $0.waiters == nil }
        }
    }
}
