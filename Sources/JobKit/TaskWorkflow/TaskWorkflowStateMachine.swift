/// Decides which launch tasks may start: by stages, gates and the order of the main-queue tasks.
///
/// Dependencies are the plan's, to be checked; whether they are met is asked where a task starts.
struct TaskWorkflowStateMachine<Task: Sendable>: Sendable {
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
    private(set) var openStages = 0
    /// The task that each open stage waited for last; nil for none.
    private var causes: [Int?] = []
    private var lastDone: Int?
    private var nextMainTask = 0
    /// Concurrent tasks of open stages, in order, which wait for gates alone.
    private var gated = FIFO<Int>()

    // MARK: Adding

    mutating func tasksAdded(
        _ added: [(task: Task, queue: LaunchTaskQueue)],
        asGroup: Bool
    ) -> (indices: Range<Int>, submitted: [Task]) {
        let indices = plan.tasksAdded(to: added.map(\.queue), asGroup: asGroup)
        for (index, member) in zip(indices, added) { note(member.task, at: index) }
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

    mutating func started() -> [Task] {
        isStarted = true
        return advance()
    }

    /// Opens the gates of that name that have been added so far.
    mutating func gateOpened(_ name: String) -> [Task] {
        openGates.formUnion(closedGates.removeValue(forKey: name) ?? [])
        return advance()
    }

    mutating func taskRan(_ index: Int) -> [Task] {
        guard !tasks[index].awaitsAnswer else { return [] }
        noteRun(index)
        return advance()
    }

    /// A task that has failed is waited for until the workflow has said that it carries on.
    mutating func taskFinished(_ index: Int, hasFailed: Bool) -> [Task] {
        guard !tasks[index].isDone else { return [] }
        tasks[index].awaitsAnswer = hasFailed
        return hasFailed ? [] : taskDone(index)
    }

    mutating func carryOnAnswered(about index: Int) -> [Task] {
        tasks[index].isDone ? [] : taskDone(index)
    }

    private mutating func taskDone(_ index: Int) -> [Task] {
        tasks[index].awaitsAnswer = false
        tasks[index].isDone = true
        noteMet(.finished, by: index)
        noteRun(index)
        return advance()
    }

    private mutating func noteRun(_ index: Int) {
        lastDone = index
        guard !tasks[index].hasRun else { return }
        tasks[index].hasRun = true
        noteMet(.ran, by: index)
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
            for holder in before.tasks where holdsNextStage(holder) {
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

    private func holdsNextStage(_ index: Int) -> Bool {
        switch plan.conditionOfNextStage(index) {
        case .ran: !tasks[index].hasRun
        case .finished: !tasks[index].isDone
        case nil: false
        }
    }

    // MARK: Decisions

    /// Opens the stages that nothing holds back; returns the tasks that are to be submitted.
    private mutating func advance() -> [Task] {
        guard isStarted else { return [] }
        var submitted: [Task] = []
        while openGates.contains(passableGates) { passableGates += 1 }
        while openStages < plan.stages.count, openStages == 0 || remaining[openStages - 1] == 0 {
            causes.append(openStages == 0 ? nil : lastDone)
            for index in plan.stages[openStages].tasks
            where plan.tasks[index].queue == .concurrentQueue {
                gated.append(index)
            }
            openStages += 1
        }
        while let index = gated.first, plan.tasks[index].gateCount <= passableGates {
            _ = gated.popFirst()
            submitted.append(tasks[index].task)
        }
        while nextMainTask < plan.mainTasks.count, isDue(plan.mainTasks[nextMainTask]) {
            submitted.append(tasks[plan.mainTasks[nextMainTask]].task)
            nextMainTask += 1
        }
        return submitted
    }

    private func isDue(_ index: Int) -> Bool {
        let task = plan.tasks[index]
        guard task.stage < openStages, task.gateCount <= passableGates else { return false }
        return task.predecessor.map { tasks[$0].hasRun } ?? true
    }
}

/// What a launch task waits for before it can be put into its queue.
enum LaunchWait: Equatable, Sendable {
    /// The workflow was not started.
    case start
    /// Tasks of the stage before, the first ten by their numbers, or the main-queue task before.
    case tasks([Int], further: Int)
    case gate(String)
}
