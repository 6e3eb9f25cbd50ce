/// Decides which of a job's callbacks comes next, and when the job has finished.
///
/// The same bookkeeping serves all ends: a job that is cancelled, fails or finishes early calls no
/// step callback any more, discards what still arrives, and ends when it waits for nothing.
struct JobStateMachine<Mail> {
    enum Ending: Equatable, Sendable {
        /// All tasks were delivered.
        case completed
        /// The job called `finish()`.
        case finishedEarly
        case failed
        case cancelled
        case overrun
    }

    enum Step {
        case none
        case askAboutFailure(Mail)
        case deliver(Mail)
        case discard(Mail)
        case callGroupFinished(Int)
        case callAllTasksFinished
        case callCancelled
        case finish(Ending)
    }

    enum Tracking: Equatable {
        case normal
        case cancelAtOnce
        case refused
    }

    private enum Stage {
        case pending
        case inMain
        case afterMain
        /// Started after a cancel or a finish.
        case withoutMain
        case finished
    }

    private struct Arrival {
        let mail: Mail
        /// Nil for what is no task.
        let group: Int?
        let hasFailed: Bool
    }

    private(set) var ending: Ending?
    private(set) var isSuspended = false
    /// Whether the time to stop has passed, so that the job waits for no task any longer.
    private(set) var hasLeftTasks = false
    /// Whether the job waits for work of its own, besides its tasks.
    private(set) var isWorking = false
    /// Whether the job is abandoned as a whole, as an operation that is not a job.
    var isStep = false
    private var stage = Stage.pending
    /// Tasks that were tracked and not delivered, or in an ending job, those it waits for.
    private(set) var openCount = 0
    private var openByGroup: [Int] = []
    /// The first arrival, which stands by itself because as a rule there is no other.
    private var arrival: Arrival?
    private var laterArrivals = FIFO<Arrival>()
    /// The task whose failure was, or is being, asked about.
    private var asked: Arrival?
    private var isAnswered = false
    /// The group of the task whose callback was called last, until its end is noted.
    private var delivered: Int??
    private var dueGroup: Int?
    /// Whether the last callbacks were a task's, so that `allTasksFinished()` may be due.
    private var isAfterTask = false
    private var hasCalledAll = false
    private var hasCalledCancelled = false
    private var isCancellingTasks = false
    /// Tasks that were tracked after the end was decided, and are being cancelled.
    private var lateCount = 0

    /// Whether the end of the job may not have reached all of its tasks yet.
    var isReachingTasks: Bool { isCancellingTasks || lateCount > 0 }
    var hasArrivals: Bool { arrival != nil || !laterArrivals.isEmpty }
    var hasFinished: Bool { stage == .finished }
    var isStarted: Bool { stage != .pending }
    /// Whether the job has ended before it was to enter `main()`, so that no code of its own ever
    /// runs.
    var callsNothing: Bool { ending != nil && (stage == .pending || stage == .withoutMain) }
    var hasEnteredMain: Bool { stage == .inMain || stage == .afterMain }
    /// Whether the job is between its start and its finish and `main()` has returned.
    var isAfterMain: Bool { stage == .afterMain || stage == .withoutMain }

    /// Whether the next step would be none, because the job waits for another task of the group of
    /// the task delivered last.
    ///
    /// May be false where the next step is none.
    var hasNothingDue: Bool {
        guard ending == nil, !hasArrivals, asked == nil, dueGroup == nil,
            case .some(let group?) = delivered
        else { return false }
        return openByGroup[group] > 1
    }

    // MARK: Inputs

    mutating func mainEntered() { stage = .inMain }
    mutating func mainReturned() { if stage == .inMain { stage = .afterMain } }
    mutating func startedWithoutMain() { if stage == .pending { stage = .withoutMain } }

    mutating func suspensionChanged(to isSuspended: Bool) { self.isSuspended = isSuspended }

    mutating func taskTracked(group: Int) -> Tracking {
        guard stage != .finished else { return .refused }
        openCount += 1
        while group >= openByGroup.count { openByGroup.append(0) }
        openByGroup[group] += 1
        hasCalledAll = false
        guard ending != nil else { return .normal }
        lateCount += 1
        return .cancelAtOnce
    }

    mutating func mailArrived(_ mail: Mail, group: Int?, hasFailed: Bool) {
        let arrival = Arrival(mail: mail, group: group, hasFailed: hasFailed)
        if hasArrivals { laterArrivals.append(arrival) } else { self.arrival = arrival }
    }

    /// Takes out mail that is not delivered.
    mutating func takeArrival() -> Mail? { popArrival()?.mail }

    private mutating func popArrival() -> Arrival? { arrival.take() ?? laterArrivals.popFirst() }

    /// The job's code was asked by ``Step/askAboutFailure(_:)``, and answers that the job carries
    /// on.
    mutating func carryOnAnswered() { isAnswered = true }

    /// Returns whether this decides how the job ends; its tasks are then to be cancelled.
    mutating func endRequested(_ ending: Ending) -> Bool {
        guard self.ending == nil, stage != .finished else { return false }
        self.ending = ending
        isCancellingTasks = true
        return true
    }

    mutating func tasksCancelled() { isCancellingTasks = false }

    /// A task that was tracked after the end was decided has been cancelled.
    mutating func lateTaskCancelled() { lateCount -= 1 }

    /// A task has stopped, or is not to be waited for.
    mutating func taskStopped() {
        precondition(openCount > 0, "taskStopped() with no open task")
        openCount -= 1
    }

    /// The job was cancelled while it was about to finish as completed.
    mutating func completionRefused() {
        stage = .afterMain
        ending = .cancelled
    }

    // MARK: Work

    mutating func workBegan() { isWorking = true }

    /// The work has ended, or is not to be waited for.
    mutating func workEnded() { isWorking = false }

    // MARK: The time to stop

    /// The time to stop has passed; returns whether the caller must leave the job's tasks.
    mutating func stopTimePassed() -> Bool {
        guard ending != nil, stage != .finished else { return false }
        hasLeftTasks = true
        isWorking = false
        return true
    }

    // MARK: Steps

    /// The next step for the job's deliverer, which has done the last one.
    mutating func nextStep() -> Step {
        noteDelivered()
        return ending == nil ? nextCallback() : nextOfEnding()
    }

    private mutating func noteDelivered() {
        guard case .some(let group) = delivered else { return }
        delivered = .none
        guard let group else { return }
        openCount -= 1
        openByGroup[group] -= 1
        if openByGroup[group] == 0 { dueGroup = group }
    }

    private mutating func nextCallback() -> Step {
        guard stage == .afterMain, !isSuspended else { return .none }
        if let group = dueGroup {
            dueGroup = nil
            // The last callback may have tracked more of the group.
            if openByGroup[group] == 0 { return .callGroupFinished(group) }
        }
        if isAfterTask {
            isAfterTask = false
            // Goes before a delayed closure that has arrived: no other callback comes between.
            if openCount == 0, !isWorking { return callAllTasksFinished() }
        }
        if let arrival = asked {
            guard isAnswered else { return .none }
            (asked, isAnswered) = (nil, false)
            return deliver(arrival)
        }
        if let arrival = popArrival() {
            guard !arrival.hasFailed else {
                asked = arrival
                return .askAboutFailure(arrival.mail)
            }
            return deliver(arrival)
        }
        guard openCount == 0, !isWorking else { return .none }
        guard hasCalledAll else { return callAllTasksFinished() }
        ending = .completed
        stage = .finished
        return .finish(.completed)
    }

    private mutating func deliver(_ arrival: Arrival) -> Step {
        delivered = .some(arrival.group)
        isAfterTask = arrival.group != nil
        return .deliver(arrival.mail)
    }

    private mutating func callAllTasksFinished() -> Step {
        hasCalledAll = true
        return .callAllTasksFinished
    }

    private mutating func nextOfEnding() -> Step {
        if let arrival = asked ?? popArrival() {
            asked = nil
            return .discard(arrival.mail)
        }
        guard let ending, stage != .finished, isAfterMain else { return .none }
        guard openCount == 0, !isWorking, !isCancellingTasks else { return .none }
        if ending == .cancelled, stage == .afterMain, !hasCalledCancelled {
            hasCalledCancelled = true
            return .callCancelled
        }
        stage = .finished
        return .finish(ending)
    }
}
