import Testing

@testable import JobKit

@Suite struct JobStateMachineTests {
    private typealias Machine = JobStateMachine<String>

    /// Returns all following steps.
    ///
    /// The job carries on after every failure.
    private func steps(_ machine: inout Machine) -> [String] {
        var steps: [String] = []
        while true {
            switch machine.nextAction() {
            case .none: return steps
            case .callTaskFailed(let message):
                steps.append("ask \(message)")
                #expect(machine.failureAnswered(.carryOn) == false)
            case .deliver(let message): steps.append("deliver \(message)")
            case .discard(let message):
                steps.append("discard \(message)")
                machine.taskStopped()
            case .callGroupFinished(let group): steps.append("group \(group)")
            case .callAllTasksFinished: steps.append("all")
            case .callCancelled: steps.append("cancelled")
            case .finish(let ending):
                steps.append("finish \(ending)")
                #expect(machine.finished(ending) == true)
                return steps
            }
        }
    }

    private func machine(tasks groups: [Int] = []) -> Machine {
        var machine = Machine()
        machine.mainEntered()
        for group in groups { #expect(machine.taskTracked(group: group) == .normal) }
        return machine
    }

    @Test func arrivalInMainWaitsForItsReturn() {
        var machine = machine(tasks: [0])
        machine.messageArrived("a", group: 0, hasFailed: false)
        #expect(steps(&machine) == [])
        machine.mainReturned()
        #expect(steps(&machine) == ["deliver a", "group 0", "all", "finish completed"])
    }

    @Test func workIsWaitedFor() {
        var machine = machine()
        machine.workBegan()
        machine.mainReturned()
        #expect(steps(&machine) == [])
        machine.workEnded()
        #expect(steps(&machine) == ["all", "finish completed"])
    }

    @Test func endingJobWaitsForItsWorkUntilTheTimeToStopHasPassed() {
        var machine = machine()
        machine.workBegan()
        machine.mainReturned()
        #expect(machine.endRequested(.cancelled) == true)
        machine.tasksCancelled()
        #expect(steps(&machine) == [])
        var late = machine
        #expect(late.stopTimePassed() == true)
        #expect(steps(&late) == ["cancelled", "finish cancelled"])
        #expect(late.stopTimePassed() == false)
        machine.workEnded()
        #expect(steps(&machine) == ["cancelled", "finish cancelled"])
    }

    @Test func lastOfAGroupIsFollowedByTheGroup() {
        var machine = machine(tasks: [0, 1, 0])
        machine.mainReturned()
        for (name, group) in [("a", 0), ("b", 1), ("c", 0)] {
            machine.messageArrived(name, group: group, hasFailed: false)
        }
        #expect(
            steps(&machine) == [
                "deliver a", "deliver b", "group 1", "deliver c", "group 0", "all",
                "finish completed",
            ]
        )
    }

    @Test func taskFailedIsCalledBeforeTheDelivery() {
        var machine = machine(tasks: [0])
        machine.mainReturned()
        machine.messageArrived("a", group: 0, hasFailed: true)
        #expect(steps(&machine) == ["ask a", "deliver a", "group 0", "all", "finish completed"])
    }

    @Test func delayedMessageFinishesNoGroup() {
        var machine = machine(tasks: [0])
        machine.mainReturned()
        machine.messageArrived("delayed", group: nil, hasFailed: false)
        #expect(steps(&machine) == ["deliver delayed"])
    }

    // J2
    @Test func delayedMessageDoesNotSplitTheCallbacksOfATask() {
        var machine = machine(tasks: [0])
        machine.mainReturned()
        machine.messageArrived("a", group: 0, hasFailed: false)
        machine.messageArrived("delayed", group: nil, hasFailed: false)
        let all = ["deliver a", "group 0", "all", "deliver delayed", "finish completed"]
        #expect(steps(&machine) == all)
    }

    @Test func taskTrackedByAGroupCallbackPermitsADelayedMessage() {
        var machine = machine(tasks: [0])
        machine.mainReturned()
        machine.messageArrived("a", group: 0, hasFailed: false)
        machine.messageArrived("delayed", group: nil, hasFailed: false)
        _ = machine.nextAction()
        guard case .callGroupFinished = machine.nextAction() else {
            return #expect(Bool(false), "no group")
        }
        #expect(machine.taskTracked(group: 0) == .normal)
        #expect(steps(&machine) == ["deliver delayed"])
    }

    @Test(arguments: 0..<4) func suspensionStopsBetweenAnyTwoCallbacks(after count: Int) {
        var machine = machine(tasks: [0])
        machine.mainReturned()
        machine.messageArrived("a", group: 0, hasFailed: true)
        for _ in 0..<count {
            if case .callTaskFailed = machine.nextAction() {
                #expect(machine.failureAnswered(.carryOn) == false)
            }
        }
        machine.suspensionChanged(to: true)
        #expect(steps(&machine) == [])
        machine.suspensionChanged(to: false)
        let all = ["ask a", "deliver a", "group 0", "all", "finish completed"]
        #expect(steps(&machine) == Array(all[count...]))
    }

    @Test func trackingInTheLastCallbackKeepsTheJobOpen() {
        var machine = machine()
        machine.mainReturned()
        guard case .callAllTasksFinished = machine.nextAction() else {
            Issue.record("not told")
            return
        }
        #expect(machine.taskTracked(group: 0) == .normal)
        #expect(steps(&machine) == [])
        machine.messageArrived("a", group: 0, hasFailed: false)
        #expect(steps(&machine) == ["deliver a", "group 0", "all", "finish completed"])
        #expect(machine.taskTracked(group: 0) == .refused)
    }

    @Test func endingJobWaitsForItsTasksAndTheCancelling() {
        var machine = machine(tasks: [0, 0])
        machine.mainReturned()
        machine.messageArrived("a", group: 0, hasFailed: false)
        #expect(machine.endRequested(.cancelled) == true)
        #expect(machine.endRequested(.failed) == false)
        #expect(machine.taskTracked(group: 1) == .cancelAtOnce)
        #expect(steps(&machine) == ["discard a"])
        machine.taskStopped()
        machine.taskStopped()
        #expect(steps(&machine) == [])
        machine.tasksCancelled()
        #expect(steps(&machine) == ["cancelled", "finish cancelled"])
    }

    @Test(arguments: [true, false]) func cancelledJobThatNeverEnteredMainHasNoCallback(early: Bool)
    {
        var machine = Machine()
        if early { #expect(machine.endRequested(.cancelled) == true) }
        machine.startedWithoutMain()
        if !early { #expect(machine.endRequested(.cancelled) == true) }
        machine.tasksCancelled()
        #expect(steps(&machine) == ["finish cancelled"])
    }

    @Test(arguments: [
        JobStateMachine<String>.Ending.finishedEarly, .failed, .cancelled, .timedOut,
    ])
    func firstEndingDecides(first: JobStateMachine<String>.Ending) {
        for second in [
            JobStateMachine<String>.Ending.finishedEarly, .failed, .cancelled, .timedOut,
        ] {
            var machine = machine()
            #expect(machine.endRequested(first) == true)
            #expect(machine.endRequested(second) == false)
            machine.tasksCancelled()
            machine.mainReturned()
            #expect(steps(&machine).last == "finish \(first)")
        }
    }

    @Test func cancellationLastsUntilTheSweepAndEachLateTaskHaveEnded() {
        var machine = machine(tasks: [0])
        machine.mainReturned()
        #expect(!machine.isReachingTasks)
        #expect(machine.endRequested(.cancelled) == true)
        #expect(machine.taskTracked(group: 0) == .cancelAtOnce)
        #expect(machine.isReachingTasks)
        machine.tasksCancelled()
        #expect(machine.isReachingTasks)
        machine.lateTaskCancelled()
        #expect(!machine.isReachingTasks)
    }

    @Test func machineOnlyWaitsWhileTheGroupHasMoreTasks() {
        var machine = machine(tasks: [0, 0])
        machine.mainReturned()
        machine.messageArrived("a", group: 0, hasFailed: false)
        #expect(!machine.isOnlyWaiting)
        _ = machine.nextAction()
        #expect(machine.isOnlyWaiting)
        machine.messageArrived("b", group: 0, hasFailed: false)
        #expect(!machine.isOnlyWaiting)
        _ = machine.nextAction()
        // The completion of the group is due.
        #expect(!machine.isOnlyWaiting)
        #expect(steps(&machine) == ["group 0", "all", "finish completed"])
    }

    @Test func finishedJobDropsMessages() {
        var machine = completing()
        #expect(machine.finished(.completed) == true)
        machine.messageArrived("late", group: nil)
        #expect(machine.released() == [])
    }

    @Test func messageOfAJobThatCompletesIsDeliveredFirst() {
        var machine = completing()
        machine.messageArrived("delay", group: nil)
        #expect(machine.finished(.completed) == false)
        #expect(steps(&machine) == ["deliver delay", "finish completed"])
    }

    @Test func jobThatEndedBeforeMainKeepsNoCallback() {
        var machine = Machine()
        machine.messageArrived("early", group: nil)
        #expect(machine.taskTracked(group: 0) == .normal)
        machine.messageArrived("a", group: 0)
        #expect(machine.endRequested(.cancelled) == true)
        #expect(machine.takeCallbacks() == ["early"])
        machine.messageArrived("late", group: nil)
        #expect(machine.takeCallbacks() == [])
        #expect(machine.released() == ["a"])
    }

    /// Returns a machine whose next action is to complete.
    private func completing() -> Machine {
        var machine = machine()
        machine.mainReturned()
        _ = machine.nextAction()
        guard case .finish(.completed) = machine.nextAction() else {
            Issue.record("The job does not complete")
            return machine
        }
        return machine
    }

    // J8, O12
    @Test func cancellationBeforeTheCompletionIsDecidedCounts() {
        var machine = completing()
        #expect(machine.endRequested(.cancelled) == true)
        #expect(machine.finished(.completed) == false)
        machine.tasksCancelled()
        #expect(steps(&machine) == ["cancelled", "finish cancelled"])
        #expect(machine.hasFinished)
    }

    // O12
    @Test func cancellationAfterTheCompletionWasDecidedIsIgnored() {
        var machine = completing()
        #expect(machine.finished(.completed) == true)
        #expect(machine.endRequested(.cancelled) == false)
        #expect(machine.ending == .completed)
    }

    // J4
    @Test func taskTrackedBeforeTheCompletionIsDecidedKeepsTheJobOpen() {
        var machine = completing()
        #expect(machine.taskTracked(group: 0) == .normal)
        #expect(machine.finished(.completed) == false)
        machine.messageArrived("a", group: 0, hasFailed: false)
        #expect(steps(&machine) == ["deliver a", "group 0", "all", "finish completed"])
    }

    // J7
    @Test func failureThatFailsTheJobDiscardsTheTask() {
        var machine = machine(tasks: [0])
        machine.mainReturned()
        machine.messageArrived("a", group: 0, hasFailed: true)
        guard case .callTaskFailed("a") = machine.nextAction() else {
            Issue.record("The failure is not reported")
            return
        }
        #expect(machine.failureAnswered(.failJob) == true)
        machine.tasksCancelled()
        #expect(steps(&machine) == ["discard a", "finish failed"])
    }

    /// Random inputs never break the rules.
    ///
    /// Each task is delivered or discarded once, no callback comes while the job is suspended or
    /// after its ending was decided, and the job finishes once, without waiting for anything.
    @Test(arguments: 0..<rounds(of: 200)) func randomWalkKeepsTheRules(seed: Int) {
        var random = WalkGenerator(seed: UInt64(seed))
        var machine = Machine()
        var open: [(name: String, group: Int)] = []
        var (tracked, handled, finishes) = (0, Set<String>(), 0)
        machine.mainEntered()
        for turn in 0..<400 where finishes == 0 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0...2 where tracked < 60:
                let group = Int.random(in: 0..<3, using: &random)
                #expect(machine.taskTracked(group: group) != .refused)
                open.append(("\(tracked)", group))
                tracked += 1
            case 3...6:
                guard !open.isEmpty else { break }
                let task = open.remove(at: Int.random(in: 0..<open.count, using: &random))
                machine.messageArrived(
                    task.name,
                    group: task.group,
                    hasFailed: Bool.random(using: &random)
                )
            case 7: machine.suspensionChanged(to: !machine.isSuspended)
            case 8 where turn > 5 && machine.hasEnteredMain && !machine.isAfterMain:
                machine.mainReturned()
            case 9 where turn > 200:
                if machine.endRequested(.failed) { machine.tasksCancelled() }
            default:
                let (isEnding, isSuspended) = (machine.ending != nil, machine.isSuspended)
                switch machine.nextAction() {
                case .none: break
                case .callTaskFailed:
                    #expect(!isEnding && !isSuspended)
                    #expect(machine.failureAnswered(.carryOn) == false)
                case .deliver(let message):
                    #expect(!isEnding && !isSuspended && machine.isAfterMain)
                    #expect(handled.insert(message).inserted)
                case .discard(let message):
                    #expect(isEnding)
                    #expect(handled.insert(message).inserted)
                    machine.taskStopped()
                case .callGroupFinished(let group):
                    #expect(!isEnding && !isSuspended)
                    #expect(!open.contains { $0.group == group })
                case .callAllTasksFinished:
                    #expect(!isEnding && open.isEmpty && handled.count == tracked)
                case .callCancelled: Issue.record("nobody cancelled")
                case .finish(let ending):
                    #expect(machine.finished(ending) == true)
                    finishes += 1
                    #expect(open.isEmpty && handled.count == tracked)
                    #expect(machine.openCount == 0)
                }
            }
        }
    }
}
