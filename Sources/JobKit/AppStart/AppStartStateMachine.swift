/// Decides whose turn it is among start-up tasks, and whose word counts.
struct AppStartStateMachine<Task: Identifiable & Sendable, Failure: Sendable>
where Task.ID: Sendable {
    enum Action: Sendable {
        /// Ask ``turnBegan()`` whose turn it is: only then does a task leave the queue.
        case beginTurn
        case tellCompletion(Task)
        case tellFailure(Task, Failure)
    }

    /// One start of a task.
    ///
    /// A task that is queued twice has two turns.
    struct Turn: Sendable {
        let number: Int
        let task: Task
    }

    private enum Phase: Sendable {
        case idle
        case betweenTurns
        case awaitingWord(Turn)
    }

    private var queue = StartupQueue<Task>()
    private var phase = Phase.idle
    private var turnCount = 0

    var isRunning: Bool {
        if case .idle = phase { false } else { true }
    }

    mutating func taskAdded(_ task: Task) {
        queue.append(task)
    }

    /// Returns the tasks removed, so that they are let go of outside the lock.
    mutating func taskRemoved(_ id: Task.ID) -> [Task] {
        queue.remove(id)
    }

    /// Returns the tasks removed, so that they are let go of outside the lock.
    mutating func allTasksRemoved() -> [Task] {
        queue.removeAll()
    }

    mutating func startRequested() -> [Action] {
        guard !isRunning else { return [] }
        phase = .betweenTurns
        return [.beginTurn]
    }

    /// Takes the next task out of the queue; `nil` says that the chain has completed.
    mutating func turnBegan() -> Turn? {
        guard let task = queue.popFirst() else {
            phase = .idle
            return nil
        }
        turnCount += 1
        let turn = Turn(number: turnCount, task: task)
        phase = .awaitingWord(turn)
        return turn
    }

    mutating func completionHeard(from speaker: Speaker) -> [Action] {
        guard let task = task(of: speaker) else { return [] }
        phase = .betweenTurns
        return [.tellCompletion(task), .beginTurn]
    }

    mutating func failureHeard(_ failure: Failure, from speaker: Speaker) -> [Action] {
        guard let task = task(of: speaker) else { return [] }
        phase = .idle
        return [.tellFailure(task, failure)]
    }

    /// Who gives a word: a task, or, where it is known, exactly one turn of it.
    enum Speaker: Sendable {
        case task(Task.ID)
        case turn(Int)
    }

    /// The task whose turn it is, if it is the one that speaks.
    private func task(of speaker: Speaker) -> Task? {
        guard case .awaitingWord(let turn) = phase else { return nil }
        return switch speaker {
        case .task(let id): id == turn.task.id ? turn.task : nil
        case .turn(let number): number == turn.number ? turn.task : nil
        }
    }
}

extension AppStartStateMachine.Action: Equatable where Task: Equatable, Failure: Equatable {}
extension AppStartStateMachine.Turn: Equatable where Task: Equatable {}
