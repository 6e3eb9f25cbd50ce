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

    /// What has to be so before a task may start or a stage may open.
    enum Condition: Equatable, Sendable {
        case opened(Int)
        /// The main-queue task has run: `main(context:)` has returned.
        case ran(Int)
        case finished(Int)
    }

    private(set) var tasks: [Task] = []
    private(set) var stages: [Stage] = []
    private(set) var gates: [String] = []
    private(set) var mainTasks: [Int] = []

    // MARK: Adding

    mutating func taskAdded(to queue: LaunchTaskQueue) -> Int {
        if stages.last?.isGroup ?? true { stages.append(Stage(isGroup: false)) }
        return append(queue)
    }

    /// An empty group is nothing.
    mutating func groupAdded(_ queues: [LaunchTaskQueue]) -> Range<Int> {
        let first = tasks.count
        if !queues.isEmpty { stages.append(Stage(isGroup: true)) }
        for queue in queues { _ = append(queue) }
        return first..<tasks.count
    }

    mutating func gateAdded(_ name: String) { gates.append(name) }

    mutating func dependenciesFound(_ dependencies: [Int], of task: Int) {
        tasks[task].dependencies = dependencies
    }

    private mutating func append(_ queue: LaunchTaskQueue) -> Int {
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
        return index
    }

    // MARK: Waiting

    func conditions(ofTask index: Int) -> [Condition] {
        let task = tasks[index]
        var conditions = [Condition.opened(task.stage)]
        if let predecessor = task.predecessor { conditions.append(.ran(predecessor)) }
        return conditions + task.dependencies.map { .finished($0) }
    }

    /// The stage before has opened, and its tasks have done what the next stage waits for.
    func conditions(ofOpening stage: Int) -> [Condition] {
        guard stage > 0 else { return [] }
        return [.opened(stage - 1)] + stages[stage - 1].tasks.compactMap(conditionOfNextStage)
    }

    /// What the stage after a task's own waits for of that task; nil: nothing.
    ///
    /// A group is waited for as a whole. Of other stages, the main-queue tasks must have run.
    func conditionOfNextStage(_ index: Int) -> Condition? {
        let task = tasks[index]
        if stages[task.stage].isGroup { return .finished(index) }
        return task.queue == .mainQueue ? .ran(index) : nil
    }
}
