import Testing

@testable import JobKit

// J14, J15
@Suite struct JobSubmissionStateMachineTests {
    private final class Task: SubmittedTask {
        let name: String
        let group: Int
        var submission = TaskSubmission()
        var queueEntry: String? { name }
        let eventID: Int

        init(_ name: String, group: Int = 0, eventID: Int = 0) {
            (self.name, self.group, self.eventID) = (name, group, eventID)
        }

        var isDeferred: Bool { submission.stage == .deferred }
    }

    private typealias Machine = JobSubmissionStateMachine<Task>

    /// Returns the machine of a started job.
    private func started() -> Machine {
        var machine = Machine()
        machine.jobStarted()
        return machine
    }

    /// Returns the machine of a started job that has groups with limits.
    private func limited(_ limits: [Int: Int]) -> Machine {
        var machine = started()
        machine.countingBegan([])
        for (group, limit) in limits { machine.limitChanged(to: limit, group: group) }
        return machine
    }

    /// Submits a task, and returns whether it can be queued now.
    ///
    /// If the submission queue is not empty, the task is appended to it.
    private func submit(_ task: Task, to machine: inout Machine) -> Bool {
        let submission = machine.taskSubmitted(task)
        #expect(submission == nil || submission == task.name)
        #expect(task.isDeferred == (submission == nil))
        return submission != nil
    }

    /// Takes all tasks from the submission queue.
    private func entries(of machine: inout Machine) -> [String] {
        guard machine.startDraining() else { return [] }
        var names: [String] = []
        while let name = machine.nextEntry() { names.append(name) }
        return names
    }

    private func tasks(_ names: String..., group: (Int) -> Int = { _ in 0 }) -> [Task] {
        names.enumerated().map { Task($1, group: group($0)) }
    }

    @Test func taskOfAnUnlimitedJobIsEnqueuedAtOnce() {
        var machine = started()
        let task = Task("a")
        #expect(machine.enqueueAtOnce(task) == true)
        #expect(task.submission.wasQueued)
        #expect(submit(Task("b"), to: &machine))
        machine.taskFinished(task)
        #expect(task.submission.stage == .finished)
        #expect(entries(of: &machine) == [])
    }

    @Test func jobNotStartedDefersTasksAndEnqueuesThemInOrder() {
        var machine = Machine()
        for task in tasks("a", "b", "c", group: { $0 % 2 }) {
            #expect(machine.enqueueAtOnce(task) == false)
            #expect(!submit(task, to: &machine))
        }
        machine.suspensionChanged(to: true)
        machine.suspensionChanged(to: false)
        #expect(entries(of: &machine) == [])
        machine.jobStarted()
        #expect(machine.enqueueAtOnce(Task("late")) == false)
        #expect(entries(of: &machine) == ["a", "b", "c"])
        #expect(machine.enqueueAtOnce(Task("later")) == true)
    }

    @Test func taskIsEnqueuedBehindDeferredTasks() {
        var machine = Machine()
        _ = submit(Task("a"), to: &machine)
        machine.jobStarted()
        let task = Task("b")
        #expect(machine.taskSubmitted(task) == nil)
        #expect(task.submission.stage == .enqueued)
        #expect(entries(of: &machine) == ["a", "b"])
    }

    /// If each step copied the list of deferred tasks, this would take minutes.
    @Test(.timeLimit(.minutes(30))) func manyTasksAreDeferredWithoutCopyingTheList() {
        let count = length(of: 100_000)
        var (limited, early) = (limited([0: 1]), Machine())
        let tasks = (0...count).map { Task("\($0)") }
        #expect(submit(tasks[0], to: &limited))
        for task in tasks.dropFirst() {
            _ = limited.taskSubmitted(task)
            _ = early.taskSubmitted(Task(task.name))
        }
        for (task, next) in zip(tasks, tasks.dropFirst()) {
            limited.taskFinished(task)
            guard entries(of: &limited) != [next.name] else { continue }
            Issue.record("Task \(next.name) does not come in its turn")
        }
        early.jobStarted()
        #expect(entries(of: &early).count == count)
    }

    @Test func jobSuspendedBeforeItsStartDefersUntilItIsResumed() {
        var machine = Machine()
        machine.suspensionChanged(to: true)
        #expect(!submit(Task("a"), to: &machine))
        machine.jobStarted()
        #expect(entries(of: &machine) == [])
        machine.suspensionChanged(to: false)
        #expect(entries(of: &machine) == ["a"])
        #expect(machine.enqueueAtOnce(Task("b")) == true)
    }

    @Test func limitSetBeforeTheStartCounts() {
        var machine = Machine()
        machine.countingBegan([])
        machine.limitChanged(to: 1, group: 0)
        let tasks = tasks("a", "b")
        for task in tasks { #expect(!submit(task, to: &machine)) }
        machine.jobStarted()
        #expect(entries(of: &machine) == ["a"])
        machine.taskFinished(tasks[0])
        #expect(entries(of: &machine) == ["b"])
    }

    @Test func fullGroupDefersUntilAPermitIsFree() {
        var machine = limited([0: 1])
        let (first, deferred) = (Task("a", eventID: 7), Task("b"))
        #expect(submit(first, to: &machine))
        #expect(!submit(deferred, to: &machine))
        #expect(submit(Task("c", group: 1), to: &machine))
        machine.taskFinished(first)
        #expect(entries(of: &machine) == ["b"])
        #expect(deferred.submission.causeID == 7)
        machine.taskFinished(deferred)
        #expect(entries(of: &machine) == [])
    }

    @Test func suspensionDefersAllGroupsAndResumesInOrder() {
        var machine = started()
        machine.suspensionChanged(to: true)
        for task in tasks("a", "b", "c", "d", group: { $0 % 2 }) {
            #expect(!submit(task, to: &machine))
        }
        machine.suspensionChanged(to: false)
        #expect(entries(of: &machine) == ["a", "b", "c", "d"])
    }

    @Test func suspensionThatDeferredATaskLeavesNothingBehind() {
        var machine = started()
        machine.suspensionChanged(to: true)
        let task = Task("a")
        #expect(!submit(task, to: &machine))
        machine.suspensionChanged(to: false)
        #expect(entries(of: &machine) == ["a"])
        #expect(machine.enqueueAtOnce(Task("b")) == true)
        machine.taskFinished(task)
        #expect(entries(of: &machine) == [])
    }

    @Test func raisedLimitEnqueuesDeferredTasks() {
        var machine = started()
        let (inQueue, finished) = (tasks("1", "2", group: { $0 }), Task("3"))
        for task in inQueue + [finished] { #expect(machine.enqueueAtOnce(task) == true) }
        machine.taskFinished(finished)
        machine.countingBegan(inQueue + [finished])
        machine.limitChanged(to: 1, group: 0)
        #expect(machine.limit(of: 0) == 1)
        for task in tasks("a", "b", "c") { #expect(!submit(task, to: &machine)) }
        machine.limitChanged(to: 3, group: 0)
        #expect(entries(of: &machine) == ["a", "b"])
        machine.jobEnds()
        machine.taskFinished(inQueue[0])
        #expect(entries(of: &machine) == [])
    }

    @Test func groupWithoutALimitIsCountedOnceAnotherHasOne() {
        var machine = started()
        let inQueue = tasks("1", "2", group: { _ in 1 })
        for task in inQueue { #expect(machine.enqueueAtOnce(task) == true) }
        machine.countingBegan(inQueue)
        machine.limitChanged(to: 1, group: 0)
        #expect(submit(Task("a", group: 1), to: &machine))
        machine.limitChanged(to: 3, group: 1)
        #expect(!submit(Task("b", group: 1), to: &machine))
        machine.taskFinished(inQueue[0])
        #expect(entries(of: &machine) == ["b"])
    }

    @Test func deferredTaskThatOtherCodeRanIsSkipped() {
        var machine = limited([0: 1])
        let tasks = tasks("a", "b", "c")
        for task in tasks { _ = submit(task, to: &machine) }
        machine.taskFinished(tasks[1])
        #expect(tasks[1].submission.stage == .cancelled)
        machine.taskFinished(tasks[0])
        #expect(entries(of: &machine) == ["c"])
        #expect(!submit(Task("d"), to: &machine))
    }

    @Test func endingJobCancelsDeferredTasksUnlessTheyAreLeftRunning() {
        var machine = limited([0: 1])
        let tasks = tasks("queued", "cancelled", "left")
        for task in tasks { _ = submit(task, to: &machine) }
        machine.jobEnds()
        #expect(machine.taskCancelled(tasks[0], isLeft: false).wasQueued)
        #expect(machine.taskCancelled(tasks[1], isLeft: false).mustStart)
        #expect(!machine.taskCancelled(tasks[1], isLeft: false).mustStart)
        #expect(!machine.taskCancelled(tasks[2], isLeft: true).wasQueued)
        #expect(entries(of: &machine) == ["left"])
        #expect(machine.taskSubmitted(tasks[1]) == nil)
        #expect(tasks[1].submission.stage == .cancelled)
    }

    @Test(arguments: 0..<rounds(of: 200)) func randomWalkKeepsLimitAndOrder(seed: Int) {
        var random = WalkGenerator(seed: UInt64(seed))
        var limits = [2, 3, Int.max]
        var machine = limited([0: 2, 1: 3, 2: .max])
        var deferred = [[Task]](repeating: [], count: 3)
        var inQueues = [[Task]](repeating: [], count: 3)
        var (next, isSuspended) = (0, false)
        func handOver() {
            let names = entries(of: &machine).compactMap { Int($0) }
            #expect(!isSuspended || names.isEmpty)
            #expect(names == names.sorted())
            for name in names {
                let group = name % 3
                #expect(deferred[group].first?.name == "\(name)")
                inQueues[group].append(deferred[group].removeFirst())
                #expect(inQueues[group].count <= limits[group])
            }
        }
        for _ in 0..<500 {
            let group = Int.random(in: 0..<3, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0...2:
                let task = Task("\(next * 3 + group)", group: group)
                next += 1
                let mayGo =
                    !isSuspended && deferred[group].isEmpty && inQueues[group].count < limits[group]
                #expect(submit(task, to: &machine) == mayGo)
                if mayGo { inQueues[group].append(task) } else { deferred[group].append(task) }
            case 3:
                guard let task = inQueues[group].popLast() else { break }
                machine.taskFinished(task)
                handOver()
            case 4:
                isSuspended.toggle()
                machine.suspensionChanged(to: isSuspended)
                handOver()
            default:
                limits[group] = Int.random(in: 1...4, using: &random)
                machine.limitChanged(to: limits[group], group: group)
                handOver()
            }
        }
        #expect(deferred.joined().allSatisfy { $0.isDeferred })
    }
}
