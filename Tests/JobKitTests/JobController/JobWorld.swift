@testable import JobKit

/// A ``JobStateMachine`` with its inputs and the steps that the contract permits next.
struct JobWorld {
    typealias Machine = JobStateMachine<Int>

    enum Input: String, CaseIterable {
        case enterMain, startWithoutMain, returnFromMain
        case track, trackInAnotherGroup, finishFirst, finishSecond, stopFirst
        case suspend, resume
        case cancel, finishEarly, endSweep
        case passStopTime, leaveTasks
        case step, stepThatFailsTheJob, finish
    }

    private struct Task {
        let group: Int
        var hasFinished = false
        /// Delivered, discarded or no longer waited for.
        var isClosed = false
        var isTaken = false
    }

    private var machine = Machine()
    private var tasks: [Task] = []
    /// The tasks that have finished and were not taken, in order.
    private var messages: [Int] = []
    private var isInMain = false
    private var isStarted = false
    private var enteredMain = false
    private var isSuspended = false
    private var isSweeping = false
    private var ending: Machine.Ending?
    private var hasEnded = false
    /// How the last action finishes the job, until ``Input/finish`` decides that.
    private var finishing: Machine.Ending?
    private var failing: Int?
    private var lastDelivered: Int?
    private var hasCalledAll = false
    private var hasCalledCancelled = false
    private var hasLeftTasks = false

    private(set) var history: [String] = []
    /// The rule that the machine violated, or nil.
    private(set) var broken: String?
    /// A description of the whole world without its history.
    ///
    /// Worlds with equal descriptions behave alike.
    var state: String {
        var world = self
        world.history = []
        return String(describing: world)
    }

    // MARK: Inputs

    /// Returns the world after an input, or nil if the input is impossible or has no effect.
    func after(_ input: Input) -> JobWorld? {
        guard broken == nil else { return nil }
        var world = self
        guard world.take(input) else { return nil }
        world.history.append(input.rawValue)
        return world
    }

    private mutating func take(_ input: Input) -> Bool {
        switch input {
        case .enterMain:
            guard !isStarted, ending == nil else { return false }
            (isStarted, enteredMain, isInMain) = (true, true, true)
            machine.mainEntered()
        case .startWithoutMain:
            guard !isStarted, ending != nil else { return false }
            isStarted = true
            machine.startedWithoutMain()
        case .returnFromMain:
            guard isInMain else { return false }
            isInMain = false
            machine.mainReturned()
        case .track: return track(group: 0)
        case .trackInAnotherGroup: return track(group: 1)
        case .finishFirst: return finish(0)
        case .finishSecond: return finish(1)
        case .stopFirst:
            guard ending != nil, let first = tasks.first, !first.isClosed else { return false }
            tasks[0].isClosed = true
            machine.taskStopped()
        case .suspend, .resume:
            guard isSuspended != (input == .suspend) else { return false }
            isSuspended.toggle()
            machine.suspensionChanged(to: isSuspended)
        case .cancel: return end(.cancelled)
        case .finishEarly: return end(.finishedEarly)
        case .endSweep:
            guard isSweeping else { return false }
            isSweeping = false
            machine.tasksCancelled()
        case .passStopTime:
            guard ending != nil, !hasLeftTasks else { return false }
            if machine.stopTimePassed() == hasEnded { broken = "leaves tasks after the end" }
            hasLeftTasks = true
        case .leaveTasks:
            guard hasLeftTasks, openCount > 0 else { return false }
            for task in tasks.indices where !tasks[task].isClosed {
                tasks[task].isClosed = true
                machine.taskStopped()
            }
        case .step, .stepThatFailsTheJob:
            guard finishing == nil else { return false }
            return step(carriesOn: input == .step)
        case .finish: return decideFinish()
        }
        return true
    }

    private mutating func track(group: Int) -> Bool {
        guard tasks.count < 2 else { return false }
        let tracking = machine.taskTracked(group: group)
        let expected: Machine.TrackAction =
            hasEnded ? .refused : ending == nil ? .normal : .cancelAtOnce
        if tracking != expected { broken = "tracking is \(tracking), not \(expected)" }
        guard !hasEnded else { return true }
        tasks.append(Task(group: group))
        hasCalledAll = false
        return true
    }

    private mutating func finish(_ task: Int) -> Bool {
        guard tasks.indices.contains(task), !tasks[task].hasFinished else { return false }
        tasks[task].hasFinished = true
        messages.append(task)
        machine.messageArrived(task, group: tasks[task].group, hasFailed: task == 1)
        return true
    }

    private mutating func end(_ ending: Machine.Ending) -> Bool {
        guard !hasEnded else { return false }
        let isFirst = machine.endRequested(ending)
        if isFirst != (self.ending == nil) { broken = "the first ending does not decide" }
        guard isFirst else { return true }
        (self.ending, isSweeping) = (ending, true)
        return true
    }

    // MARK: Steps

    private var openCount: Int { tasks.count { !$0.isClosed } }
    private func isOpen(_ group: Int) -> Bool {
        tasks.contains { $0.group == group && !$0.isClosed }
    }

    /// Whether a step may call the job's own code.
    private var mayCall: Bool { isStarted && !isInMain && !isSuspended && ending == nil }

    /// The group that must receive its completion call next.
    private var finishedGroup: Int? {
        lastDelivered.map { tasks[$0].group }.flatMap { isOpen($0) ? nil : $0 }
    }

    private mutating func expect(_ holds: Bool, _ rule: String) {
        if !holds, broken == nil { broken = rule }
    }

    /// Takes one step.
    ///
    /// - Returns: False if the other response would have the same result.
    private mutating func step(carriesOn: Bool) -> Bool {
        let isOnlyWaiting = machine.isOnlyWaiting
        let step = machine.nextAction()
        if isOnlyWaiting {
            if case .none = step {} else { expect(false, "has a step although nothing is due") }
            expect(openCount > 0, "has nothing due, and waits for nothing")
        }
        if case .callTaskFailed(let task) = step {
            expect(mayCall && finishedGroup == nil, "asks out of turn")
            expect(messages.first == task && task == 1 && failing == nil, "asks about another task")
            (lastDelivered, failing) = (nil, task)
            let fails = machine.failureAnswered(carriesOn ? .carryOn : .failJob)
            expect(fails == !carriesOn, "does not follow the response to a failure")
            if fails { (ending, isSweeping) = (.failed, true) }
            return true
        }
        guard carriesOn else { return false }
        switch step {
        case .callTaskFailed: break
        case .none: expect(mustWait, "waits for nothing")
        case .deliver(let task):
            expect(mayCall && finishedGroup == nil, "delivers out of turn")
            expect(
                messages.first == task && failing == (task == 1 ? 1 : nil),
                "delivers another task"
            )
            failing = nil
            take(task)
            lastDelivered = task
        case .discard(let task):
            expect(ending != nil && messages.first == task, "discards out of turn")
            let wasClosed = tasks[task].isClosed
            take(task)
            if !wasClosed { machine.taskStopped() }
        case .callGroupFinished(let group):
            expect(mayCall && finishedGroup == group, "tells of a group out of turn")
            lastDelivered = nil
        case .callAllTasksFinished:
            expect(mayCall && finishedGroup == nil && messages.isEmpty, "tells of all out of turn")
            expect(openCount == 0 && !hasCalledAll, "tells of all too early, or again")
            (lastDelivered, hasCalledAll) = (nil, true)
        case .callCancelled:
            expect(ending == .cancelled && enteredMain && !hasCalledCancelled, "tells of no cancel")
            expect(hasStopped, "tells of a cancel before all has stopped")
            hasCalledCancelled = true
        case .finish(let how):
            expect(!hasEnded && hasStopped, "finishes before all has stopped, or again")
            expect(how == ending ?? .completed, "finishes as \(how)")
            expect(ending != nil || mayCall && hasCalledAll, "finishes before it has told")
            expect(ending != .cancelled || hasCalledCancelled == enteredMain, "told no cancel")
            finishing = how
        }
        return true
    }

    /// Finishes the job unless its state has changed since the action.
    private mutating func decideFinish() -> Bool {
        guard let how = finishing.take() else { return false }
        let mayFinish = hasStopped && (ending.map { $0 == how } ?? (mayCall && hasCalledAll))
        let hasFinished = machine.finished(how)
        expect(hasFinished == mayFinish, "finishes although it has more to do, or does not finish")
        hasEnded = hasFinished
        return true
    }

    private mutating func take(_ task: Int) {
        expect(!tasks[task].isTaken, "takes a task twice")
        (tasks[task].isTaken, tasks[task].isClosed) = (true, true)
        messages.removeAll { $0 == task }
    }

    private var hasStopped: Bool {
        isStarted && !isInMain && messages.isEmpty && openCount == 0 && !isSweeping
    }

    /// Whether the machine has no step to take.
    private var mustWait: Bool {
        if hasEnded { return true }
        guard ending == nil else { return messages.isEmpty && !hasStopped }
        return !mayCall || finishedGroup == nil && messages.isEmpty && openCount > 0
    }

    // MARK: The end

    /// The rule that is violated after every awaited event, or nil if the job finishes.
    var brokenAfterDraining: String? {
        var world = self
        let inputs: [Input] = [
            .enterMain, .startWithoutMain, .returnFromMain, .finishFirst, .finishSecond, .resume,
            .endSweep, .leaveTasks,
        ]
        for input in inputs where world.broken == nil { _ = world.take(input) }
        for _ in 0..<14 where world.broken == nil && !world.hasEnded {
            _ = world.take(world.finishing == nil ? .step : .finish)
        }
        if world.broken == nil, !world.hasEnded { return "never finishes" }
        return world.broken
    }
}
