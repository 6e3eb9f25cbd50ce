/// Decides which start-up task has its turn, and which reports count.
///
/// An input returns whether the caller must deliver, which means performing each ``nextAction()``
/// until it is nil. All others leave their actions to that caller, so no action is nested in
/// another.
struct AppStartStateMachine<Task: Identifiable & Sendable, Failure: Sendable>
where Task.ID: Sendable {
    enum Action: Sendable {
        /// The caller must report the task's completion, or its failure.
        case notify(Task, Failure?)
        /// The caller must start the task. A task that was added twice has two turns.
        case start(Task, turn: Int)
        /// The caller must report that the last task has completed.
        case notifyOfEnd
    }

    private enum Phase: Sendable {
        case idle
        case betweenTurns
        case awaitingReport(Task, turn: Int)
    }

    private var queue = FIFO<Task>()
    private var phase = Phase.idle
    private var turnCount = 0
    /// The report that the delegate has not received.
    private var report: (task: Task, failure: Failure?)?
    private var isDelivering = false

    var isRunning: Bool {
        if case .idle = phase { false } else { true }
    }

    mutating func taskAdded(_ task: Task) {
        queue.append(task)
    }

    /// Removes a task, or all tasks if `id` is nil.
    ///
    /// - Returns: The removed tasks, so that they are released outside the lock.
    mutating func tasksRemoved(_ id: Task.ID?) -> [Task] {
        defer { queue.removeAll { id == nil || $0.id == id } }
        return queue.elements.filter { id == nil || $0.id == id }
    }

    mutating func startRequested() -> Bool {
        guard !isRunning else { return false }
        phase = .betweenTurns
        return claimDelivery()
    }

    /// Ends the turn of a task that has reported its completion or failure.
    ///
    /// A report is ignored unless the task has its turn and, if the turn of the report is known, it
    /// is that turn.
    mutating func endReported(_ failure: Failure?, by id: Task.ID, turn: Int?) -> Bool {
        guard case .awaitingReport(let task, let current) = phase, task.id == id,
            turn ?? current == current
        else { return false }
        phase = failure == nil ? .betweenTurns : .idle
        report = (task, failure)
        return claimDelivery()
    }

    private mutating func claimDelivery() -> Bool { !exchange(&isDelivering, with: true) }

    /// Takes the next action, or ends the delivery and returns nil.
    ///
    /// A task leaves the queue only now, so the delegate may add tasks before.
    mutating func nextAction() -> Action? {
        if let report = report.take() { return .notify(report.task, report.failure) }
        guard case .betweenTurns = phase else {
            isDelivering = false
            return nil
        }
        guard let task = queue.popFirst() else {
            phase = .idle
            return .notifyOfEnd
        }
        turnCount += 1
        phase = .awaitingReport(task, turn: turnCount)
        return .start(task, turn: turnCount)
    }
}

extension AppStartStateMachine.Action: Equatable where Task: Equatable, Failure: Equatable {}
