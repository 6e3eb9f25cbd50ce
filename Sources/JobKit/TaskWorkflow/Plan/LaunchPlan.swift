/// What was added to a workflow, in order, and what each task has to wait for.
struct LaunchPlan: Sendable {
    struct Task: Sendable {
        let queue: LaunchTaskQueue
        let stage: Int
        /// How many of the gates were added before it.
        let gateCount: Int
        /// The main-queue task before it, of a main-queue task.
        let predecessor: Int?
        /// The tasks of the workflow that it depends on.
        var dependencies: [Int] = []
    }

    struct Stage: Sendable {
        let isGroup: Bool
        fileprivate(set) var tasks: [Int] = []
    }

    /// What a stage waits for of a task of the stage before.
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

    /// Adds tasks, and returns their indices; an empty group is nothing.
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

    /// What the stage after a task's own waits for of that task; nil: nothing.
    ///
    /// A group is waited for as a whole. Of other stages, the main-queue tasks must have run.
    func conditionOfNextStage(_ index: Int) -> Condition? {
        let task = tasks[index]
        if stages[task.stage].isGroup { return .finished }
        return task.queue == .mainQueue ? .ran : nil
    }
}
