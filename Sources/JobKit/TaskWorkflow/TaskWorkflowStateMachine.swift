/// Decides which launch tasks may start.
///
/// It considers stages, gates and the order of the main-queue tasks. It stores the dependencies
/// only to check them. Whether they are met is decided when a task starts.
struct TaskWorkflowStateMachine<Payload: Sendable>: Sendable {
    struct Task: Sendable {
        let payload: Payload
        let queue: LaunchTaskQueue
        let stage: Int
        /// The number of gates that were added before the task.
        let gateCount: Int
        /// The previous main-queue task.
        ///
        /// Nil for a concurrent task.
        let predecessor: Int?
        /// The tasks of the workflow that it depends on.
        fileprivate(set) var dependencies: [Int] = []
        /// Whether `main(context:)` has returned, or the task has finished without it.
        fileprivate(set) var hasRun = false
        /// Whether the task has finished and, if it failed, the workflow continues.
        fileprivate(set) var isDone = false
        /// Whether the task has failed, and the workflow has not decided yet whether to carry on.
        fileprivate(set) var awaitsResponse = false
    }

    struct Stage: Sendable {
        let isGroup: Bool
        fileprivate(set) var tasks: [Int] = []
        /// The number of its tasks for which the next stage waits.
        fileprivate var remaining = 0
    }

    /// The maximum number of tasks in the reason why a stage has not opened.
    static var namedHolders: Int { 10 }

    private(set) var isStarted = false
    private(set) var tasks: [Task] = []
    private(set) var stages: [Stage] = []
    private var mainTasks: [Int] = []
    private var gates: [String] = []
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

    /// Adds tasks, and returns their indices and the tasks to submit.
    ///
    /// An empty group has no effect.
    mutating func tasksAdded(
        _ added: [(payload: Payload, queue: LaunchTaskQueue)],
        asGroup: Bool
    ) -> (indices: Range<Int>, submitted: [Payload]) {
        let first = tasks.count
        if !added.isEmpty, asGroup || stages.last?.isGroup ?? true {
            stages.append(Stage(isGroup: asGroup))
        }
        for (payload, queue) in added { append(payload, queue) }
        return (first..<tasks.count, advance())
    }

    mutating func gateAdded(_ name: String) {
        closedGates[name, default: []].append(gates.count)
        gates.append(name)
    }

    mutating func dependenciesFound(_ dependencies: [Int], of task: Int) {
        tasks[task].dependencies = dependencies
    }

    private mutating func append(_ payload: Payload, _ queue: LaunchTaskQueue) {
        // A stage that opens now waited for no task, but for this one to be added.
        lastDone = nil
        let (index, stage) = (tasks.count, stages.count - 1)
        tasks.append(
            Task(
                payload: payload,
                queue: queue,
                stage: stage,
                gateCount: gates.count,
                predecessor: queue == .mainQueue ? mainTasks.last : nil
            )
        )
        stages[stage].tasks.append(index)
        if holdsNextStage(index) { stages[stage].remaining += 1 }
        if queue == .mainQueue {
            mainTasks.append(index)
        } else if stage < openStages {
            gated.append(index)
        }
    }

    // MARK: Inputs

    mutating func started() -> [Payload] {
        isStarted = true
        return advance()
    }

    /// Opens the gates of that name that have been added so far.
    mutating func gateOpened(_ name: String) -> [Payload] {
        openGates.formUnion(closedGates.removeValue(forKey: name) ?? [])
        return advance()
    }

    /// Lets the next main-queue task start, unless the task has failed and awaits an answer.
    mutating func taskRan(_ index: Int) -> [Payload] {
        guard !tasks[index].awaitsResponse else { return [] }
        change(index) { $0.hasRun = true }
        return advance()
    }

    /// Ends a task that has not failed.
    ///
    /// A failed task holds back the next ones until ``failureAccepted(of:)``.
    mutating func taskFinished(_ index: Int, hasFailed: Bool) -> [Payload] {
        guard !tasks[index].isDone else { return [] }
        tasks[index].awaitsResponse = hasFailed
        return hasFailed ? [] : failureAccepted(of: index)
    }

    /// Ends a failed task, because the workflow carries on.
    mutating func failureAccepted(of index: Int) -> [Payload] {
        guard !tasks[index].isDone else { return [] }
        change(index) { task in
            (task.hasRun, task.isDone, task.awaitsResponse) = (true, true, false)
        }
        return advance()
    }

    private mutating func change(_ index: Int, _ body: (inout Task) -> Void) {
        lastDone = index
        let heldNextStage = holdsNextStage(index)
        body(&tasks[index])
        if heldNextStage, !holdsNextStage(index) { stages[tasks[index].stage].remaining -= 1 }
    }

    // MARK: Waiting

    /// Returns the condition for which a task has not been submitted.
    ///
    /// Nil if it has been submitted.
    func wait(of index: Int) -> LaunchWait? {
        guard isStarted else { return .start }
        let task = tasks[index]
        guard task.stage < openStages else {
            let before = stages[openStages - 1]
            var holders: [Int] = []
            for holder in before.tasks where holdsNextStage(holder) {
                guard holders.count < Self.namedHolders else { break }
                holders.append(holder)
            }
            return .tasks(holders, further: before.remaining - holders.count)
        }
        guard task.gateCount <= passableGates else { return .gate(gates[passableGates]) }
        guard let predecessor = task.predecessor, !tasks[predecessor].hasRun else { return nil }
        return .tasks([predecessor], further: 0)
    }

    /// Returns the tasks for which a task's stage or main-thread turn waited.
    func predecessors(of index: Int) -> [Int] {
        let task = tasks[index]
        let cause = task.stage < causes.count ? causes[task.stage] : nil
        return [cause, task.predecessor].compactMap(\.self)
    }

    /// Whether the next stage ever waits for a task.
    ///
    /// It does not wait for a concurrent task outside a group.
    func concernsNextStage(_ index: Int) -> Bool {
        stages[tasks[index].stage].isGroup || tasks[index].queue == .mainQueue
    }

    /// Whether the next stage still waits for a task.
    ///
    /// All tasks of a group must finish, and other main-queue tasks must have run.
    private func holdsNextStage(_ index: Int) -> Bool {
        let task = tasks[index]
        if stages[task.stage].isGroup { return !task.isDone }
        return task.queue == .mainQueue && !task.hasRun
    }

    // MARK: Decisions

    /// Opens the stages that nothing holds back, and returns the tasks to submit.
    private mutating func advance() -> [Payload] {
        guard isStarted else { return [] }
        var submitted: [Payload] = []
        while openGates.contains(passableGates) { passableGates += 1 }
        while openStages < stages.count, openStages == 0 || stages[openStages - 1].remaining == 0 {
            causes.append(openStages == 0 ? nil : lastDone)
            for index in stages[openStages].tasks where tasks[index].queue == .concurrentQueue {
                gated.append(index)
            }
            openStages += 1
        }
        while let index = gated.first, tasks[index].gateCount <= passableGates {
            _ = gated.popFirst()
            submitted.append(tasks[index].payload)
        }
        while nextMainTask < mainTasks.count, isReady(mainTasks[nextMainTask]) {
            submitted.append(tasks[mainTasks[nextMainTask]].payload)
            nextMainTask += 1
        }
        return submitted
    }

    private func isReady(_ index: Int) -> Bool {
        let task = tasks[index]
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
