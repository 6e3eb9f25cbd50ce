/// Decides a job's next callback, and when the job has finished.
///
/// All ends share the same bookkeeping. A job that is cancelled, fails, times out or finishes early
/// calls no further step callback, discards all later messages, and finishes when it waits for
/// nothing.
struct JobStateMachine<Message> {
    enum Ending: Equatable, Sendable {
        /// All tasks were delivered.
        case completed
        /// The job called `finish()`.
        case finishedEarly
        case failed
        case cancelled
        case timedOut
    }

    enum Action {
        case none
        case callTaskFailed(Message)
        case deliver(Message)
        case discard(Message)
        case callGroupFinished(Int)
        case callAllTasksFinished
        case callCancelled
        case finish(Ending)

        /// Whether the action calls the job's code.
        var callsCode: Bool {
            switch self {
            case .none, .discard, .finish: false
            default: true
            }
        }

        /// The message of the callback, if it has one.
        var message: Message? {
            switch self {
            case .deliver(let message), .callTaskFailed(let message): message
            default: nil
            }
        }
    }

    enum TrackAction: Equatable {
        case normal
        case cancelAtOnce
        case refused
    }

    private enum Stage {
        case pending
        case inMain
        case afterMain
        /// Started after it was cancelled or finished.
        case withoutMain
        case finished
    }

    private struct Arrival {
        let message: Message
        /// Nil if the message is not a task.
        let group: Int?
        let hasFailed: Bool
    }

    private(set) var ending: Ending?
    private(set) var isSuspended = false
    /// Whether the time to stop has passed, so the job no longer waits for any task.
    private(set) var hasLeftTasks = false
    /// Whether the job waits for its own work, in addition to its tasks.
    private(set) var isWorking = false
    /// Whether the job is abandoned as a whole, like an operation that is not a job.
    var isStep = false
    private var stage = Stage.pending
    /// The tasks that are tracked and not delivered or, in an ending job, those that it waits for.
    private(set) var openCount = 0
    private var openByGroup: [Int] = []
    /// The first arrival, stored separately because usually there is no other.
    private var arrival: Arrival?
    private var laterArrivals = FIFO<Arrival>()
    /// The failed task for which the job's response is pending or was received.
    private var failing: Arrival?
    private var isResolved = false
    /// The group of the task that was delivered last, until that delivery is counted.
    private var delivered: Int??
    private var finishedGroup: Int?
    /// Whether the last callbacks belonged to a task, so `allTasksFinished()` may be due.
    private var isAfterTask = false
    private var hasCalledAll = false
    private var hasCalledCancelled = false
    private var isCancellingTasks = false
    /// The number of tasks tracked after the end was decided that are still being cancelled.
    private var lateCount = 0

    /// Whether some tasks may not have been cancelled yet.
    var isReachingTasks: Bool { isCancellingTasks || lateCount > 0 }
    var hasArrivals: Bool { arrival != nil || !laterArrivals.isEmpty }
    var hasFinished: Bool { stage == .finished }
    var isStarted: Bool { stage != .pending }
    /// Whether the job has ended before entering `main()`, so none of its code ever runs.
    var callsNothing: Bool { ending != nil && (stage == .pending || stage == .withoutMain) }
    var hasEnteredMain: Bool { stage == .inMain || stage == .afterMain }
    /// Whether `main()` has returned or was skipped, and the job has not finished.
    var isAfterMain: Bool { stage == .afterMain || stage == .withoutMain }

    /// Whether the job certainly waits for another task of the group that was delivered last.
    ///
    /// If true, the next step is `.none`. It may be false even if the next step is `.none`.
    var isOnlyWaiting: Bool {
        guard ending == nil, !hasArrivals, failing == nil, finishedGroup == nil,
            case .some(let group?) = delivered
        else { return false }
        return openByGroup[group] > 1
    }

    // MARK: Inputs

    mutating func mainEntered() { stage = .inMain }
    mutating func mainReturned() { if stage == .inMain { stage = .afterMain } }
    mutating func startedWithoutMain() { if stage == .pending { stage = .withoutMain } }

    mutating func suspensionChanged(to isSuspended: Bool) { self.isSuspended = isSuspended }

    mutating func taskTracked(group: Int) -> TrackAction {
        guard stage != .finished else { return .refused }
        openCount += 1
        while group >= openByGroup.count { openByGroup.append(0) }
        openByGroup[group] += 1
        hasCalledAll = false
        guard ending != nil else { return .normal }
        lateCount += 1
        return .cancelAtOnce
    }

    /// Stores a message until it is delivered or discarded.
    ///
    /// - Returns: False if the message is dropped, because the job has finished or the callback can
    ///   never run.
    @discardableResult
    mutating func messageArrived(
        _ message: Message,
        group: Int?,
        hasFailed: Bool = false
    ) -> Bool {
        guard stage != .finished, group != nil || !callsNothing else { return false }
        let arrival = Arrival(message: message, group: group, hasFailed: hasFailed)
        if hasArrivals { laterArrivals.append(arrival) } else { self.arrival = arrival }
        return true
    }

    /// Takes the callbacks that can never run, because the job has ended before entering `main()`.
    mutating func takeCallbacks() -> [Message] {
        var taken: [Message] = []
        var kept: [Arrival] = []
        while let arrival = popArrival() {
            if arrival.group == nil { taken.append(arrival.message) } else { kept.append(arrival) }
        }
        for arrival in kept { laterArrivals.append(arrival) }
        return taken
    }

    /// Takes all messages of a job that is released, and drops those that arrive later.
    mutating func released() -> [Message] {
        stage = .finished
        var taken: [Message] = []
        while let arrival = popArrival() { taken.append(arrival.message) }
        return taken
    }

    private mutating func popArrival() -> Arrival? { arrival.take() ?? laterArrivals.popFirst() }

    /// Records the job's response to the failure of ``Action/callTaskFailed(_:)``.
    ///
    /// - Returns: Whether the job fails. The caller must then cancel the job's tasks.
    mutating func failureAnswered(_ response: FailureResponse) -> Bool {
        switch response {
        case .carryOn:
            isResolved = true
            return false
        case .failJob:
            return endRequested(.failed)
        }
    }

    /// Decides how the job ends, if that is still open.
    ///
    /// - Returns: Whether this call decided it. The caller must then cancel the job's tasks.
    mutating func endRequested(_ ending: Ending) -> Bool {
        guard self.ending == nil, stage != .finished else { return false }
        self.ending = ending
        isCancellingTasks = true
        return true
    }

    mutating func tasksCancelled() { isCancellingTasks = false }

    /// Counts a task that was tracked after the end was decided, and is now cancelled.
    mutating func lateTaskCancelled() { lateCount -= 1 }

    /// Counts a task that has stopped, or for which the job no longer waits.
    mutating func taskStopped() {
        precondition(openCount > 0, "taskStopped() with no open task")
        openCount -= 1
    }

    /// Finishes the job after ``Action/finish(_:)``.
    ///
    /// - Returns: False if the job's end was requested, or it got another task, since that action.
    ///   Nothing has changed then, and the caller must continue with the next action.
    mutating func finished(_ ending: Ending) -> Bool {
        guard mayFinish, ending == self.ending ?? .completed else { return false }
        self.ending = ending
        stage = .finished
        return true
    }

    private var mayFinish: Bool {
        guard isAfterMain, openCount == 0, !isWorking, !hasArrivals else { return false }
        return ending == nil ? hasCalledAll && !isSuspended : !isCancellingTasks
    }

    // MARK: Work

    mutating func workBegan() { isWorking = true }

    /// Records that the work has ended, or that the job no longer waits for it.
    mutating func workEnded() { isWorking = false }

    // MARK: The time to stop

    /// Stops waiting because the time to stop has passed.
    ///
    /// - Returns: Whether the caller must leave the job's tasks.
    mutating func stopTimePassed() -> Bool {
        guard ending != nil, stage != .finished else { return false }
        hasLeftTasks = true
        isWorking = false
        return true
    }

    // MARK: Steps

    /// Decides the next step, after the delivering thread has performed the last one.
    mutating func nextAction() -> Action {
        noteDelivered()
        return ending == nil ? nextCallback() : nextOfEnding()
    }

    private mutating func noteDelivered() {
        guard case .some(let group) = delivered else { return }
        delivered = .none
        guard let group else { return }
        openCount -= 1
        openByGroup[group] -= 1
        if openByGroup[group] == 0 { finishedGroup = group }
    }

    private mutating func nextCallback() -> Action {
        guard stage == .afterMain, !isSuspended else { return .none }
        if let group = finishedGroup {
            finishedGroup = nil
            // The last callback may have tracked more of the group.
            if openByGroup[group] == 0 { return .callGroupFinished(group) }
        }
        if isAfterTask {
            isAfterTask = false
            // Comes before a delayed closure that has arrived, because no other callback may come
            // between.
            if openCount == 0, !isWorking { return callAllTasksFinished() }
        }
        if let arrival = failing {
            guard isResolved else { return .none }
            (failing, isResolved) = (nil, false)
            return deliver(arrival)
        }
        if let arrival = popArrival() {
            guard !arrival.hasFailed else {
                failing = arrival
                return .callTaskFailed(arrival.message)
            }
            return deliver(arrival)
        }
        guard openCount == 0, !isWorking else { return .none }
        return hasCalledAll ? .finish(.completed) : callAllTasksFinished()
    }

    private mutating func deliver(_ arrival: Arrival) -> Action {
        delivered = .some(arrival.group)
        isAfterTask = arrival.group != nil
        return .deliver(arrival.message)
    }

    private mutating func callAllTasksFinished() -> Action {
        hasCalledAll = true
        return .callAllTasksFinished
    }

    private mutating func nextOfEnding() -> Action {
        if let arrival = failing ?? popArrival() {
            failing = nil
            return .discard(arrival.message)
        }
        guard let ending, mayFinish else { return .none }
        if ending == .cancelled, stage == .afterMain, !hasCalledCancelled {
            hasCalledCancelled = true
            return .callCancelled
        }
        return .finish(ending)
    }
}
