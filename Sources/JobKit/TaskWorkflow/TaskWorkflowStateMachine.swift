/// Decides which launch tasks may start.
///
/// It considers stages, gates and the order of the main-queue tasks. The plan contains the
/// dependencies only to check them. Whether they are met is decided when a task starts.
struct TaskWorkflowStateMachine<Task: Sendable>: Sendable {
    private struct Progress: Sendable {
        let task: Task
        /// Whether `main(context:)` has returned, or the task has finished without it.
        var hasRun = false
        /// Whether the task has finished and, if it failed, the workflow continues.
        var isDone = false
        /// Whether the task has failed, and the workflow has not decided yet whether to carry on.
        var awaitsResponse = false
    }

    /// The maximum number of tasks in the reason why a stage has not opened.
    static var namedHolders: Int { 10 }

    private(set) var plan = LaunchPlan()
    private(set) var isStarted = false
    private var tasks: [Progress] = []
    /// For each stage, the number of conditions that the next stage still waits for.
    private var remaining: [Int] = []
    private var closedGates: [String: [Int]] = [:]
    private var openGates: Set<Int> = []
    /// The number of gates before the first closed one.
    private var passableGates = 0
    private(set) var openStages = 0
    /// The task that each open stage waited for last.
    ///
    /// Nil if there is none.
    private var causes: [Int?] = []
    private var lastDone: Int?
    private var nextMainTask = 0
    /// The concurrent tasks of open stages, in order, which wait only for gates.
    private var gated = FIFO<Int>()

    // MARK: Adding

    mutating func tasksAdded(
        _ added: [(task: Task, queue: LaunchTaskQueue)],
        asGroup: Bool
    ) -> (indices: Range<Int>, submitted: [Task]) {
        let indices = plan.tasksAdded(to: added.map(\.queue), asGroup: asGroup)
        for (index, member) in zip(indices, added) { insert(member.task, at: index) }
        return (indices, advance())
    }

    mutating func gateAdded(_ name: String) {
        closedGates[name, default: []].append(plan.gates.count)
        plan.gateAdded(name)
    }

    mutating func dependenciesFound(_ dependencies: [Int], of task: Int) {
        plan.dependenciesFound(dependencies, of: task)
    }

    private mutating func insert(_ task: Task, at index: Int) {
        // A stage that opens now waited for no task, but for this one to be added.
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

    /// Lets the next main-queue task start, unless the task has failed and awaits an answer.
    mutating func taskRan(_ index: Int) -> [Task] {
        guard !tasks[index].awaitsResponse else { return [] }
        taskHasRun(index)
        return advance()
    }

    /// Ends a task that has not failed.
    ///
    /// A failed task holds back the next ones until ``failureAccepted(of:)``.
    mutating func taskFinished(_ index: Int, hasFailed: Bool) -> [Task] {
        guard !tasks[index].isDone else { return [] }
        tasks[index].awaitsResponse = hasFailed
        return hasFailed ? [] : taskDone(index)
    }

    /// Ends a failed task, because the workflow carries on.
    mutating func failureAccepted(of index: Int) -> [Task] {
        tasks[index].isDone ? [] : taskDone(index)
    }

    private mutating func taskDone(_ index: Int) -> [Task] {
        tasks[index].awaitsResponse = false
        tasks[index].isDone = true
        conditionMet(.finished, by: index)
        taskHasRun(index)
        return advance()
    }

    private mutating func taskHasRun(_ index: Int) {
        lastDone = index
        guard !tasks[index].hasRun else { return }
        tasks[index].hasRun = true
        conditionMet(.ran, by: index)
    }

    private mutating func conditionMet(_ condition: LaunchPlan.Condition, by index: Int) {
        guard plan.conditionOfNextStage(index) == condition else { return }
        remaining[plan.tasks[index].stage] -= 1
    }

    // MARK: Waiting

    /// Returns the condition for which a task has not been submitted.
    ///
    /// Nil if it has been submitted.
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

    /// Returns the tasks for which a task's stage or main-thread turn waited.
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

    /// Opens the stages that nothing holds back, and returns the tasks to submit.
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
        while nextMainTask < plan.mainTasks.count, isReady(plan.mainTasks[nextMainTask]) {
            submitted.append(tasks[plan.mainTasks[nextMainTask]].task)
            nextMainTask += 1
        }
        return submitted
    }

    private func isReady(_ index: Int) -> Bool {
        let task = plan.tasks[index]
        guard task.stage < openStages, task.gateCount <= passableGates else { return false }
        return task.predecessor.map { tasks[$0].hasRun } ?? true
    }
}

/// The condition that a launch task waits for before it is added to its queue.
enum LaunchWait: Equatable, Sendable {
    /// The workflow was not started.
    case start
    /// The first ten tasks of the previous stage by number, or the previous main-queue task.
    case tasks([Int], further: Int)
    case gate(String)
}
