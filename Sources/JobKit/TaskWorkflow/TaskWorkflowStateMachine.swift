/// Decides which launch tasks may start.
///
/// It considers stages, gates and the order of the main-queue tasks. Whether dependencies are met
/// is decided when a task starts. The number of a task is its position in the order added.
struct TaskWorkflowStateMachine: Sendable {
    struct Task: Sendable {
        let queue: LaunchTaskQueue
        let stage: Int
        /// The number of gates that were added before the task.
        let gateCount: Int
        /// The previous main-queue task.
        ///
        /// Nil for a concurrent task.
        let predecessor: Int?
        fileprivate(set) var progress = Progress.pending
    }

    enum Progress: Comparable, Sendable {
        case pending
        /// The task has failed, and the workflow has not decided yet whether to carry on.
        case failed
        /// `main(context:)` has returned, and the task continues.
        case ran
        /// The task has finished and, if it failed, the workflow continues.
        case done
    }

    struct Stage: Sendable {
        let isGroup: Bool
        fileprivate(set) var tasks: [Int] = []
        /// The number of its tasks for which the next stage waits.
        fileprivate var remaining = 0
        /// The task that the stage waited for last.
        ///
        /// Nil if there is none.
        fileprivate var cause: Int?
    }

    /// The maximum number of tasks in the reason why a stage has not opened.
    static let namedHolders = 10

    private(set) var isStarted = false
    private(set) var tasks: [Task] = []
    private(set) var stages: [Stage] = []
    private(set) var openStages = 0
    private(set) var gates: [(name: String, isOpen: Bool)] = []
    private var closedGates: [String: [Int]] = [:]
    /// The number of gates before the first closed one.
    private var passableGates = 0
    /// The tasks that have not been submitted, in the order added.
    private var mainTasks = FIFO<Int>()
    private var concurrentTasks = FIFO<Int>()
    private var lastMainTask: Int?

    // MARK: Inputs

    /// Adds tasks, and returns the tasks to submit, as all inputs do.
    ///
    /// An empty group has no effect.
    mutating func tasksAdded(_ queues: [LaunchTaskQueue], asGroup: Bool) -> [Int] {
        if !queues.isEmpty, asGroup || stages.last?.isGroup ?? true {
            stages.append(Stage(isGroup: asGroup))
        }
        for queue in queues { append(queue) }
        return advance()
    }

    private mutating func append(_ queue: LaunchTaskQueue) {
        let (index, stage) = (tasks.count, stages.count - 1)
        let predecessor = queue == .mainQueue ? lastMainTask : nil
        tasks.append(
            Task(queue: queue, stage: stage, gateCount: gates.count, predecessor: predecessor)
        )
        stages[stage].tasks.append(index)
        if holdsNextStage(index) { stages[stage].remaining += 1 }
        if queue == .mainQueue {
            mainTasks.append(index)
            lastMainTask = index
        } else {
            concurrentTasks.append(index)
        }
    }

    mutating func gateAdded(_ name: String) {
        closedGates[name, default: []].append(gates.count)
        gates.append((name, isOpen: false))
    }

    /// Opens the gates of that name that have been added so far.
    mutating func gateOpened(_ name: String) -> [Int] {
        for gate in closedGates.removeValue(forKey: name) ?? [] { gates[gate].isOpen = true }
        while passableGates < gates.count, gates[passableGates].isOpen { passableGates += 1 }
        return advance()
    }

    mutating func started() -> [Int] {
        isStarted = true
        return advance()
    }

    /// Lets the next main-queue task start, unless the task has failed and awaits an answer.
    mutating func taskRan(_ index: Int) -> [Int] {
        tasks[index].progress == .pending ? advance(index, to: .ran) : []
    }

    /// Ends a task that has not failed.
    ///
    /// A failed task holds back the next ones until ``failureAccepted(of:)``.
    mutating func taskFinished(_ index: Int, hasFailed: Bool) -> [Int] {
        guard hasFailed else { return failureAccepted(of: index) }
        tasks[index].progress = max(tasks[index].progress, .failed)
        return []
    }

    /// Ends a failed task, because the workflow carries on.
    mutating func failureAccepted(of index: Int) -> [Int] {
        tasks[index].progress < .done ? advance(index, to: .done) : []
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
        guard task.gateCount <= passableGates else { return .gate(gates[passableGates].name) }
        guard let predecessor = task.predecessor, tasks[predecessor].progress < .ran else {
            return nil
        }
        return .tasks([predecessor], further: 0)
    }

    /// Returns the tasks for which a task's stage or main-thread turn waited.
    func predecessors(of index: Int) -> [Int] {
        let task = tasks[index]
        return [stages[task.stage].cause, task.predecessor].compactMap(\.self)
    }

    /// Whether stage, gates and order let a task start.
    func isReady(_ index: Int) -> Bool {
        let task = tasks[index]
        guard task.stage < openStages, task.gateCount <= passableGates else { return false }
        return task.predecessor.map { tasks[$0].progress >= .ran } ?? true
    }

    /// Whether the next stage still waits for a task.
    ///
    /// All tasks of a group must finish, and other main-queue tasks must have run.
    private func holdsNextStage(_ index: Int) -> Bool {
        let task = tasks[index]
        if stages[task.stage].isGroup { return task.progress < .done }
        return task.queue == .mainQueue && task.progress < .ran
    }

    // MARK: Decisions

    private mutating func advance(_ index: Int, to progress: Progress) -> [Int] {
        let heldNextStage = holdsNextStage(index)
        tasks[index].progress = progress
        if heldNextStage, !holdsNextStage(index) { stages[tasks[index].stage].remaining -= 1 }
        return advance(because: index)
    }

    /// Opens the stages that nothing holds back, and returns the tasks to submit.
    private mutating func advance(because cause: Int? = nil) -> [Int] {
        guard isStarted else { return [] }
        while openStages < stages.count, openStages == 0 || stages[openStages - 1].remaining == 0 {
            stages[openStages].cause = cause
            openStages += 1
        }
        var submitted: [Int] = []
        while let index = concurrentTasks.first, isReady(index) {
            _ = concurrentTasks.popFirst()
            submitted.append(index)
        }
        while let index = mainTasks.first, isReady(index) {
            _ = mainTasks.popFirst()
            submitted.append(index)
        }
        return submitted
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
