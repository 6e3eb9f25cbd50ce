/// The tasks and gates of a workflow, in the order added, and the conditions of each task.
struct LaunchPlan: Sendable {
    struct Task: Sendable {
        let queue: LaunchTaskQueue
        let stage: Int
        /// The number of gates that were added before the task.
        let gateCount: Int
        /// The previous main-queue task.
        ///
        /// Nil for a concurrent task.
        let predecessor: Int?
        /// The tasks of the workflow that it depends on.
        var dependencies: [Int] = []
    }

    struct Stage: Sendable {
        let isGroup: Bool
        fileprivate(set) var tasks: [Int] = []
    }

    /// The state that a task must reach before the next stage opens.
    enum Condition: Sendable {
        /// `main(context:)` has returned.
        case ran
        case finished
    }

    private(set) var tasks: [Task] = []
    private(set) var stages: [Stage] = []
    private(set) var gates: [String] = []
    private(set) var mainTasks: [Int] = []

    // MARK: Adding

    /// Adds tasks, and returns their indices.
    ///
    /// An empty group has no effect.
    mutating func tasksAdded(to queues: [LaunchTaskQueue], asGroup: Bool) -> Range<Int> {
        let first = tasks.count
        if !queues.isEmpty, asGroup || stages.last?.isGroup ?? true {
            stages.append(Stage(isGroup: asGroup))
        }
        for queue in queues { append(queue) }
        return first..<tasks.count
    }

    mutating func gateAdded(_ name: String) { gates.append(name) }

    mutating func dependenciesFound(_ dependencies: [Int], of task: Int) {
        tasks[task].dependencies = dependencies
    }

    private mutating func append(_ queue: LaunchTaskQueue) {
        let index = tasks.count
        tasks.append(
            Task(
                queue: queue,
                stage: stages.count - 1,
                gateCount: gates.count,
                predecessor: queue == .mainQueue ? mainTasks.last : nil
            )
        )
        stages[stages.count - 1].tasks.append(index)
        if queue == .mainQueue { mainTasks.append(index) }
    }

    // MARK: Waiting

    /// Returns the condition that a task must meet before the next stage opens.
    ///
    /// Nil for a concurrent task outside a group, because the next stage does not wait for it. All
    /// tasks of a group must finish, and other main-queue tasks must have run.
    func conditionOfNextStage(_ index: Int) -> Condition? {
        let task = tasks[index]
        if stages[task.stage].isGroup { return .finished }
        return task.queue == .mainQueue ? .ran : nil
    }
}
