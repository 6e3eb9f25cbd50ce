/// Decides which start-up task has its turn, and which reports count.
struct AppStartStateMachine<Task: Identifiable & Sendable, Failure: Sendable>
where Task.ID: Sendable {
    enum Action: Sendable {
        /// The caller must call ``turnBegan()``, which removes the next task from the queue.
        case beginTurn
        /// The caller must report the task's completion, or its failure.
        case notify(Task, Failure?)
    }

    /// One start of a task.
    ///
    /// A task that was added twice has two turns.
    struct Turn: Sendable {
        let number: Int
        let task: Task
    }

    private enum Phase: Sendable {
        case idle
        case betweenTurns
        case awaitingReport(Turn)
    }

    private var queue = FIFO<Task>()
    private var phase = Phase.idle
    private var turnCount = 0

    var isRunning: Bool {
        if case .idle = phase { false } else { true }
    }

    mutating func taskAdded(_ task: Task) {
        queue.append(task)
    }

    /// Removes a task, and returns its entries so that they are released outside the lock.
    mutating func taskRemoved(_ id: Task.ID) -> [Task] {
        defer { queue.removeAll { $0.id == id } }
        return queue.elements.filter { $0.id == id }
    }

    /// Removes all tasks, and returns them so that they are released outside the lock.
    mutating func allTasksRemoved() -> [Task] {
        exchange(&queue, with: FIFO()).elements
    }

    mutating func startRequested() -> [Action] {
        guard !isRunning else { return [] }
        phase = .betweenTurns
        return [.beginTurn]
    }

    /// Removes the next task from the queue and begins its turn.
    ///
    /// Nil if the queue is empty, so that the chain has completed.
    mutating func turnBegan() -> Turn? {
        guard let task = queue.popFirst() else {
            phase = .idle
            return nil
        }
        turnCount += 1
        let turn = Turn(number: turnCount, task: task)
        phase = .awaitingReport(turn)
        return turn
    }

    /// Ends the turn of a task that has reported its completion or failure.
    ///
    /// A report is ignored unless the task has its turn and, if the turn of the report is known, it
    /// is that turn.
    mutating func endReported(_ failure: Failure?, by task: Task.ID, turn: Int?) -> [Action] {
        guard case .awaitingReport(let current) = phase, current.task.id == task,
            turn ?? current.number == current.number
        else { return [] }
        phase = failure == nil ? .betweenTurns : .idle
        return [.notify(current.task, failure)] + (failure == nil ? [.beginTurn] : [])
    }
}

extension AppStartStateMachine.Action: Equatable where Task: Equatable, Failure: Equatable {}
extension AppStartStateMachine.Turn: Equatable where Task: Equatable {}
