import Dispatch
import Foundation

/// Owns the workflow's own lock, submits its tasks, and runs those of the main queue.
///
/// For the job, it is the queue of the main-queue tasks. It keeps those that have their turn until
/// the main thread *serves* the workflow: runs these tasks and notifies the delegate. Tasks are
/// submitted and served after the lock is released.
final class TaskWorkflowShell: OperationScheduling, Sendable {
    typealias Machine = TaskWorkflowStateMachine<TaskRecord>

    // The delegate need not be `Sendable`, because it is passed on under the lock and called on the
    // main thread.
    private struct WeakDelegate: Sendable {
        nonisolated(unsafe) weak var object: (any TaskWorkflowDelegate)?
    }

    private struct State {
        var machine = Machine()
        var record = LaunchRecord()
        var context: LaunchContext = [:]
        var delegate = WeakDelegate()
        /// The main-queue tasks that have their turn.
        var mainTasks = FIFO<LaunchTask>()
        /// The finished workflow, until the main thread notifies its delegate.
        var workflowToNotifyOf: TaskWorkflow?
        /// Whether the delegate was called, or the workflow has finished without one.
        var isNotified = false
        /// Whether a call on the main thread's stack serves the workflow.
        var isDraining = false
        /// Whether there may be more work since the serving call last read the state.
        var hasChanged = false
        /// Whether the main thread waits for the end, and must be notified of it.
        var isAwaitedOnMainThread = false
        var waiters: [@Sendable () -> Void] = []

        mutating func recordOpenings() {
            while record.openings.count < machine.openStages { record.openings.append(.now) }
        }
    }

    private let state = Guarded(State())

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

    /// Adds tasks that the job already tracks, and returns their numbers.
    ///
    /// The caller passes the records to ``submit(_:)`` once the tasks have their numbers.
    func add(
        _ tasks: [LaunchTask],
        _ records: [TaskRecord],
        asGroup: Bool
    ) -> (Range<Int>, submitted: [TaskRecord]) {
        let times = tasks.map { LaunchRecord.Task(name: $0.label, eventID: $0.operationID) }
        let added = zip(records, tasks).map { ($0, $1.queue) }
        return state.withLock { state in
            state.record.tasks += times
            defer { state.recordOpenings() }
            return state.machine.tasksAdded(added, asGroup: asGroup)
        }
    }

    func addGate(_ name: String) {
        state.withLock { $0.machine.gateAdded(name) }
    }

    func openGate(_ name: String) {
        send { $0.machine.gateOpened(name) }
    }

    func dependenciesFound(_ dependencies: [Int], of task: Int) {
        state.withLock { $0.machine.dependenciesFound(dependencies, of: task) }
    }

    // MARK: Reading

    /// Returns the names of a task and of a dependency that can finish only after the task.
    ///
    /// Nil if there are none.
    func impossibleDependency() -> (task: String, dependency: String)? {
        let (impossible, tasks) = state.withLock { state in
            (state.machine.impossibleDependency(), state.record.tasks)
        }
        return impossible.map { (tasks[$0.task].name, tasks[$0.dependency].name) }
    }

    /// Returns the event numbers of the tasks that a task waited for, apart from its dependencies.
    func predecessors(of index: Int) -> [Int] {
        state.withLock { state in
            state.machine.predecessors(of: index).map { state.record.tasks[$0].eventID }
        }
    }

    /// Returns the reason why a task has not been submitted.
    ///
    /// Nil if it has been submitted.
    func reasonToWait(of index: Int) -> String? {
        state.withLock { state in
            switch state.machine.wait(of: index) {
            case .start: "never queued, because its workflow was not started"
            case .gate(let name): "never queued, because the gate \(name) is closed"
            case .tasks(let tasks, let further):
                "waits for " + tasks.map { state.record.tasks[$0].name }.joined(separator: ", ")
                    + (further > 0 ? " and \(further) more" : "")
            case nil: nil
            }
        }
    }

    func timeline(named name: String) -> LaunchTimeline<TaskRecord> {
        let (machine, record) = state.withLock { ($0.machine, $0.record) }
        return LaunchTimeline(name: name, machine: machine, record: record, now: .now)
    }

    // MARK: Events

    /// Opens the first stage, because `main()` has returned.
    func launch() {
        send { $0.machine.started() }
    }

    func taskBegan(_ index: Int, _ task: LaunchTask) {
        let name = task.label
        state.withLock { state in
            state.record.tasks[index].name = name
            state.record.tasks[index].began = .now
        }
    }

    func taskRan(_ index: Int) {
        send { $0.machine.taskRan(index) }
    }

    func taskFinished(_ index: Int, _ task: LaunchTask) {
        let outcome = task.outcome?.description
        send { state in
            state.record.taskEnded(index, outcome, at: .now)
            return state.machine.taskFinished(index, hasFailed: outcome == "failed")
        }
    }

    /// Continues the workflow after a failed task was delivered.
    func taskDelivered(_ index: Int) {
        send { $0.machine.failureAccepted(of: index) }
    }

    private func send(_ input: (inout State) -> [TaskRecord]) {
        submit(
            state.withLock { state in
                defer { state.recordOpenings() }
                return input(&state)
            }
        )
    }

    func submit(_ records: [TaskRecord]) {
        for record in records { record.shell.submitLater(record) }
    }

    // MARK: The main thread

    /// Receives a main-queue task from the job when it has its turn.
    ///
    /// The main thread runs one task at a time, in order, and inline if it is the calling thread.
    func addOperation(_ operation: Operation) {
        guard let task = operation as? LaunchTask else { return }
        state.withLock { $0.mainTasks.append(task) }
        wakeMainThread()
    }

    /// Makes the main thread serve the workflow soon, unless a call already serves it.
    func wakeMainThread() {
        let isServed = state.withLock { state in
            state.hasChanged = true
            return state.isDraining
        }
        if !isServed { MainThread.shared.wake(self) }
    }

    /// Reserves the serving for the caller, which runs on the main thread.
    ///
    /// Returns false if a call below on the stack serves the workflow already, so tasks are never
    /// nested in each other. If this returns true, the caller must call ``drain()``.
    func beginDraining() -> Bool {
        state.withLock { !exchange(&$0.isDraining, with: true) }
    }

    /// Runs the main-queue tasks that are ready, in order, and then notifies the delegate if due.
    func drain() {
        while true {
            let (task, workflow) = state.withLock { state in
                state.hasChanged = false
                return (state.mainTasks.first, state.workflowToNotifyOf)
            }
            // `isReady` may be user code, so it is read without the lock.
            // Other code may have started the task already.
            if let task, task.isReady || task.currentLifecycle.contains(.started) {
                _ = state.withLock { $0.mainTasks.popFirst() }
                if !task.currentLifecycle.contains(.started) { task.start() }
            } else if let workflow {
                state.withLock { $0.workflowToNotifyOf = nil }
                if let delegate {
                    MainThread.assumeMainActor(for: workflow.label) {
                        delegate.workflowDidFinish(workflow)
                    }
                }
                delegateNotified()
            } else if endDraining() {
                return
            }
        }
    }

    /// Stops draining, unless something has changed in between.
    private func endDraining() -> Bool {
        state.withLock { state in
            state.isDraining = state.hasChanged
            return !state.isDraining
        }
    }

    // MARK: The end

    func workflowFinished(_ workflow: TaskWorkflow) {
        // This is read without the lock, because it may release the last reference to the delegate.
        let hasDelegate = delegate != nil
        let (mustNotify, context) = state.withLock { state in
            state.record.ended = .now
            let mustNotify = hasDelegate || state.isAwaitedOnMainThread
            if mustNotify { state.workflowToNotifyOf = workflow }
            return (mustNotify, exchange(&state.context, with: [:]))
        }
        // The values may run user code when they are released, so no lock is held.
        withExtendedLifetime(context) {}
        if mustNotify { wakeMainThread() } else { delegateNotified() }
    }

    private func delegateNotified() {
        let waiters = state.withLock { state in
            state.isNotified = true
            return exchange(&state.waiters, with: [])
        }
        for waiter in waiters { waiter() }
    }

    /// Waits until the delegate was called, or the workflow has finished without one.
    func waitUntilNotified() async {
        await withCheckedContinuation { continuation in
            let isNotified = state.withLock { state in
                if !state.isNotified { state.waiters.append { continuation.resume() } }
                return state.isNotified
            }
            if isNotified { continuation.resume() }
        }
    }

    /// Calls `start`, which may start the workflow, and waits for the end on the calling thread.
    ///
    /// - Returns: Whether the delegate was called in time.
    func wait(atMost limit: Duration?, start: () -> Void) -> Bool {
        guard !MainThread.isCurrent else {
            state.withLock { $0.isAwaitedOnMainThread = true }
            start()
            return MainThread.shared.drain(waitingAtMost: limit) {
                state.withLock { $0.isNotified }
            }
        }
        let waiter = DispatchSemaphore(value: 0)
        state.withLock { $0.waiters.append { waiter.signal() } }
        start()
        return waiter.wait(atMost: limit)
    }
}
