/// Decides which launch tasks may start: by stages, gates and the order of the main-queue tasks.
///
/// Dependencies are the plan's, to be checked; whether they are met is asked where a task starts.
struct TaskWorkflowStateMachine<Task: Sendable>: Sendable {
    enum Action: Sendable {
        case recordOpening(stage: Int)
        case submit(Task)
    }

    private struct Progress: Sendable {
        let task: Task
        /// `main(context:)` has returned, or the task has finished without.
        var hasRun = false
        /// Finished, and if it failed, the workflow carries on.
        var isDone = false
        var awaitsAnswer = false
    }

    /// How many of the tasks that hold a stage back are named.
    static var namedHolders: Int { 10 }

    private(set) var plan = LaunchPlan()
    private(set) var isStarted = false
    private var tasks: [Progress] = []
    /// For each stage, how much of it the next stage still waits for.
    private var remaining: [Int] = []
    private var closedGates: [String: [Int]] = [:]
    private var openGates: Set<Int> = []
    /// How many gates are open before the first that is closed.
    private var passableGates = 0
    private var openStages = 0
    /// The task that each open stage waited for last; nil for none.
    private var causes: [Int?] = []
    private var lastDone: Int?
    private var nextMainTask = 0
    /// Concurrent tasks of open stages, in order, which wait for gates alone.
    private var gated = FIFO<Int>()

    // MARK: Adding

    mutating func taskAdded(
        _ task: Task,
        queue: LaunchTaskQueue
    ) -> (index: Int, actions: [Action]) {
        let index = plan.taskAdded(to: queue)
        note(task, at: index)
        return (index, advance())
    }

    mutating func groupAdded(
        _ group: [(task: Task, queue: LaunchTaskQueue)]
    ) -> (indices: Range<Int>, actions: [Action]) {
        let indices = plan.groupAdded(group.map(\.queue))
        for (index, member) in zip(indices, group) { note(member.task, at: index) }
        return (indices, advance())
    }

    mutating func gateAdded(_ name: String) {
        closedGates[name, default: []].append(plan.gates.count)
        plan.gateAdded(name)
    }

    mutating func dependenciesFound(_ dependencies: [Int], of task: Int) {
        plan.dependenciesFound(dependencies, of: task)
    }

    private mutating func note(_ task: Task, at index: Int) {
        lastDone = nil
        let (stage, queue) = (plan.tasks[index].stage, plan.tasks[index].queue)
        tasks.append(Progress(task: task))
        if remaining.count == stage { remaining.append(0) }
        if plan.conditionOfNextStage(index) != nil { remaining[stage] += 1 }
        if stage < openStages, queue == .concurrentQueue { gated.append(index) }
    }

    // MARK: Inputs

    mutating func started() -> [Action] {
        isStarted = true
        return advance()
    }

    /// Opens the gates of that name that have been added so far.
    mutating func gateOpened(_ name: String) -> [Action] {
        openGates.formUnion(closedGates.removeValue(forKey: name) ?? [])
        return advance()
    }

    mutating func taskRan(_ index: Int) -> [Action] {
        guard !tasks[index].awaitsAnswer else { return [] }
        noteRun(index)
        return advance()
    }

    /// A task that has failed is waited for until the workflow has said that it carries on.
    mutating func taskFinished(_ index: Int, hasFailed: Bool) -> [Action] {
        guard !tasks[index].isDone else { return [] }
        tasks[index].awaitsAnswer = hasFailed
        return hasFailed ? [] : taskDone(index)
    }

    mutating func carryOnAnswered(about index: Int) -> [Action] {
        tasks[index].isDone ? [] : taskDone(index)
    }

    private mutating func taskDone(_ index: Int) -> [Action] {
        tasks[index].awaitsAnswer = false
        tasks[index].isDone = true
        noteMet(.finished(index), by: index)
        noteRun(index)
        return advance()
    }

    private mutating func noteRun(_ index: Int) {
        lastDone = index
        guard !tasks[index].hasRun else { return }
        tasks[index].hasRun = true
        noteMet(.ran(index), by: index)
    }

    private mutating func noteMet(_ condition: LaunchPlan.Condition, by index: Int) {
        guard plan.conditionOfNextStage(index) == condition else { return }
        remaining[plan.tasks[index].stage] -= 1
    }

    // MARK: Waiting

    /// Why a task has not been submitted; nil if it has.
    func wait(of index: Int) -> LaunchWait? {
        guard isStarted else { return .start }
        let task = plan.tasks[index]
        guard task.stage < openStages else {
            let (before, count) = (plan.stages[openStages - 1], remaining[openStages - 1])
            var holders: [Int] = []
            for holder in before.tasks where !isMet(plan.conditionOfNextStage(holder)) {
                guard holders.count < min(count, Self.namedHolders) else { break }
                holders.append(holder)
            }
            return .tasks(holders, further: max(0, count - Self.namedHolders))
        }
        guard task.gateCount <= passableGates else { return .gate(plan.gates[passableGates]) }
        guard let predecessor = task.predecessor, !tasks[predecessor].hasRun else { return nil }
        return .tasks([predecessor], further: 0)
    }

    /// The tasks that a task waited for because of its stage and its turn on the main thread.
    func predecessors(of index: Int) -> [Int] {
        let task = plan.tasks[index]
        let cause = task.stage < causes.count ? causes[task.stage] : nil
        return [cause, task.predecessor].compactMap(\.self)
    }

    private func isMet(_ condition: LaunchPlan.Condition?) -> Bool {
        switch condition {
        case .opened(let stage): stage < openStages
        case .ran(let index): tasks[index].hasRun
        case .finished(let index): tasks[index].isDone
        case nil: true
        }
    }

    // MARK: Decisions

    private mutating func advance() -> [Action] {
        guard isStarted else { return [] }
        var actions: [Action] = []
        while openGates.contains(passableGates) { passableGates += 1 }
        while openStages < plan.stages.count, openStages == 0 || remaining[openStages - 1] == 0 {
            actions.append(.recordOpening(stage: openStages))
            causes.append(openStages == 0 ? nil : lastDone)
            for index in plan.stages[openStages].tasks
            where plan.tasks[index].queue == .concurrentQueue {
                gated.append(index)
            }
            openStages += 1
        }
        while let index = gated.first, plan.tasks[index].gateCount <= passableGates {
            _ = gated.popFirst()
            actions.append(.submit(tasks[index].task))
        }
        while nextMainTask < plan.mainTasks.count, isDue(plan.mainTasks[nextMainTask]) {
            actions.append(.submit(tasks[plan.mainTasks[nextMainTask]].task))
            nextMainTask += 1
        }
        return actions
    }

    private func isDue(_ index: Int) -> Bool {
        let task = plan.tasks[index]
        guard task.stage < openStages, task.gateCount <= passableGates else { return false }
        return task.predecessor.map { tasks[$0].hasRun } ?? true
    }
}

extension TaskWorkflowStateMachine.Action: Equatable where Task: Equatable {}
