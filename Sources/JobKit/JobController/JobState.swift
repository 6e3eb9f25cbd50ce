import Dispatch
import Foundation

/// The state of a job, guarded by the lock of its ``JobShell``.
///
/// Each value in it encapsulates its own state. The methods here are the inputs that concern
/// several of the values. They return the actions that the shell must perform after it has released
/// the lock.
struct JobState {
    /// A message is retained from the time it is enqueued until it was delivered.
    ///
    /// Unmanaged, because counting references for the copies of each step would cost more than the
    /// rest of the delivery.
    typealias Message = Unmanaged<JobMessage>
    typealias Machine = JobStateMachine<Message>

    var machine = Machine()
    var delivery = JobDelivery()
    var submission = JobSubmissionStateMachine<TaskRecord>()
    var tasks = JobTasks()
    var groups = JobGroups()
    var owner = JobOwner()
    var observers = JobObservers()
    var tally = ProgressTally()
    var contexts = JobContexts()
    /// The Swift task that runs the job's own work.
    private(set) var work: Task<Void, Never>?
    /// Nil until the progress is read.
    private(set) var progress: JobProgress?
    /// The tasks that the job had left when it finished.
    private(set) var leftTasks: [LeftTask] = []
    /// The error that made the job fail, or nil until that is decided.
    private(set) var failure: (any Error)?
    /// When the job's end was decided.
    private(set) var endRequestedAt = CoarseTime(rawValue: 0)

    // MARK: Start and end

    /// Starts the job.
    ///
    /// - Returns: Whether the caller must call `main()`, and whether there are tasks.
    mutating func jobStarted(
        _ job: JobController,
        mayEnterMain: Bool
    ) -> (entersMain: Bool, hasTasks: Bool) {
        owner.jobStarted(job)
        let hasTasks = machine.openCount > 0
        guard mayEnterMain, machine.ending == nil else {
            machine.startedWithoutMain()
            return (false, hasTasks)
        }
        machine.mainEntered()
        submission.jobStarted()
        return (true, hasTasks)
    }

    /// Records that `main()` has returned, or was skipped.
    mutating func mainReturned() {
        tally.codeReturned()
        if machine.isStarted, !machine.isAfterMain { machine.mainReturned() }
    }

    mutating func suspensionChanged(to isSuspended: Bool) {
        machine.suspensionChanged(to: isSuspended)
        submission.suspensionChanged(to: isSuspended)
    }

    /// Ends the job and returns true, unless its end was already decided.
    mutating func endRequested(_ ending: Machine.Ending, failure: (any Error)?) -> Bool {
        guard machine.endRequested(ending) else { return false }
        self.failure = failure
        endRequestedAt = .now
        return true
    }

    /// Reverses a completion, because the job was cancelled just before it.
    mutating func completionRefused() {
        machine.completionRefused()
        endRequestedAt = .now
    }

    /// Returns the tasks and the work to cancel, after the end was decided.
    mutating func cancelBegan() -> (tasks: [TaskCancelStep], work: Task<Void, Never>?) {
        submission.jobEnds()
        return (tasksToCancel, work)
    }

    /// The tasks that an ending job cancels or leaves.
    var tasksToCancel: [TaskCancelStep] {
        tasks.awaited.compactMap { record in record.task.map { TaskCancelStep(record, $0) } }
    }

    /// Removes everything that the job owns, because it has finished or is released unstarted.
    mutating func releaseAll() -> (
        records: [TaskRecord], completions: [Int: @Sendable () -> Void], contexts: JobContexts
    ) {
        // The record of a running callback stays until the callback returns.
        let records = tasks.removeAll(but: delivery.callback?.record)
        return (records, groups.takeCompletions(), contexts.jobEnded())
    }

    /// Stops waiting for work and tasks, because the time to stop has passed.
    ///
    /// - Returns: The tasks that the job leaves, and whether the job is abandoned. Nil if it is not
    ///   ending or has finished.
    mutating func stopTimePassed() -> (left: [TaskRecord], isAbandoned: Bool)? {
        let isWorking = machine.isWorking
        guard machine.stopTimePassed() else { return nil }
        let left = tasks.awaited
        return (left, machine.isStep && (isWorking || !left.isEmpty))
    }

    /// Records the tasks that the job leaves when it finishes.
    mutating func tasksLeft(_ tasks: [LeftTask]) { leftTasks = tasks }

    // MARK: Work

    /// Whether the job's own work can start.
    enum WorkAction {
        case begins
        /// The work must wait, because the job is suspended.
        case waits
        /// The work must not start, because the job is ending.
        case refused
    }

    mutating func workBegins() -> WorkAction {
        guard machine.ending == nil else { return .refused }
        guard !machine.isSuspended else { return .waits }
        machine.workBegan()
        return .begins
    }

    /// Stores the Swift task of the work.
    ///
    /// - Returns: Whether the caller must cancel the Swift task, because the job has ended in the
    ///   meantime.
    mutating func workStarted(_ task: Task<Void, Never>) -> Bool {
        if machine.isWorking { work = task }
        return machine.ending != nil
    }

    /// Ends the work and returns its Swift task, which the caller must release with no lock held.
    mutating func workEnded() -> Task<Void, Never>? {
        machine.workEnded()
        return work.take()
    }

    // MARK: Tasks

    /// Begins to track a task, and enqueues it if it is submitted and nothing defers it.
    ///
    /// If there are observers, their notification is appended to `notifications`.
    ///
    /// - Returns: How the task is tracked (nil if it is already tracked), and whether the caller
    ///   must put it into its queue.
    @inline(__always)
    mutating func taskTracked(
        _ record: TaskRecord,
        _ task: Operation,
        group: JobGroup?,
        by job: JobController,
        isSubmitted: Bool,
        _ notifications: inout [TaskNotification]
    ) -> (tracking: Machine.TrackAction?, isEnqueued: Bool) {
        guard tasks.noteUndelivered(record, task) else { return (nil, false) }
        let number = groups.number(of: group, for: type(of: task))
        let tracking = machine.taskTracked(group: number)
        if !machine.isStarted { owner.jobTracks(job) }
        guard tracking == .normal || tracking == .cancelAtOnce else {
            tasks.forgetUndelivered(record)
            return (tracking, false)
        }
        record.joins(group: number, in: tally.taskTracked(weight: record.terms.weight))
        if !observers.isEmpty { notifications.append(trackingBegan(record, task, by: job)) }
        tasks.append(record)
        let isEnqueued = tracking == .normal && isSubmitted && submission.enqueueAtOnce(record)
        return (tracking, isEnqueued)
    }

    /// Sets the completion of a group.
    ///
    /// - Returns: A closure that will not be called: the one before or, if the job is ending, this
    ///   one.
    mutating func completionSet(
        _ completion: @escaping @Sendable () -> Void,
        for group: JobGroup
    ) -> (@Sendable () -> Void)? {
        guard machine.ending == nil else { return completion }
        return groups.setCompletion(completion, for: group)
    }

    /// Sets the concurrency limit of a group.
    ///
    /// - Parameters:
    ///   - limit: The limit.
    ///   - group: The group.
    ///   - finished: The tasks that had already finished when this was checked, before the first
    ///     limit.
    mutating func limitChanged(to limit: Int, for group: JobGroup, finished: [TaskRecord]) {
        let number = groups.number(of: group)
        if !submission.isCounting { submission.countingBegan(tasks.records, finished: finished) }
        submission.limitChanged(to: limit, group: number)
    }

    /// Whether the job waits for a task and has not ended.
    func waits(for record: TaskRecord) -> Bool {
        machine.ending == nil && record.task != nil && record.isAwaited
    }

    // MARK: Delivering

    /// Decides the next step of the delivering thread.
    @inline(__always)
    mutating func nextAction(from completionQueue: CompletionQueue, at now: CoarseTime)
        -> Machine.Action
    {
        tally.codeReturned()
        if !machine.hasArrivals, let message = delivery.dequeue(from: completionQueue) {
            receive(message)
        }
        let step = machine.nextAction()
        if case .deliver(let message) = step {
            message.withRecord { $0.stopWaiting() }
            observers.callbackBegins(of: message)
        }
        if delivery.actionBegan(step, at: now) { tally.codeBegins() }
        return step
    }

    /// Whether there is nothing to deliver until something changes.
    @inline(__always)
    func isOnlyWaiting(_ completionQueue: CompletionQueue) -> Bool {
        completionQueue.isEmpty && machine.isOnlyWaiting
    }

    /// Passes a message from the completion queue to the state machine.
    private mutating func receive(_ message: Message) {
        let (group, hasFailed) =
            message.withRecord { record in
                (record.group, record.failure != nil && record.terms.failure != .carryOn)
            } ?? (nil, false)
        machine.messageArrived(message, group: group, hasFailed: hasFailed)
    }

    /// Takes a message that will not be delivered.
    mutating func takeUndeliverable(from completionQueue: CompletionQueue) -> Message? {
        machine.takeArrival() ?? delivery.dequeue(from: completionQueue)
    }

    /// Records that a callback has returned.
    @inline(__always)
    mutating func codeReturned() {
        delivery.callbackReturned()
        tally.codeReturned()
    }

    /// Records that the callbacks of a message have returned.
    @inline(__always)
    mutating func delivered(_ message: Message) -> TaskRecord.Released? {
        codeReturned()
        return message.withRecord { record in
            tally.taskDelivered(weight: record.terms.weight, fraction: record.fraction)
            return taskEnded(record)
        }
    }

    /// Removes a task that was delivered, or will never be.
    @inline(__always)
    mutating func taskEnded(_ record: TaskRecord) -> TaskRecord.Released {
        tasks.taskEnded(record)
        return empty(record)
    }

    /// Empties the record of a task that the job no longer needs.
    @inline(__always)
    mutating func empty(_ record: TaskRecord) -> TaskRecord.Released {
        tasks.forgetUndelivered(record)
        defer { submission.taskFinished(record) }
        return record.empty()
    }

    // MARK: Ending

    /// Stops waiting for a task, unless observers must be notified first.
    ///
    /// - Returns: Whether the caller must notify observers that the task is dropped, and that
    ///   notification. Afterwards, the job stops waiting.
    mutating func stopWaiting(
        for record: TaskRecord,
        hasFinished: Bool
    ) -> (isDropped: Bool, notification: TaskNotification?) {
        guard record.isAwaited else { return (false, nil) }
        let isObserved = !hasFinished && !observers.isEmpty
        switch record.change({ $0.waitIsOver(isObserved: isObserved) }) {
        case .later: return (false, nil)
        case .notifyDrop: return (true, notification(of: record))
        case .stopWaiting:
            record.stopWaiting()
            machine.taskStopped()
            return (false, nil)
        }
    }

    /// Removes the closures and delays of a job that has ended before it entered `main()`.
    ///
    /// - Returns: Nil for any other job.
    mutating func takeUncallable(from completionQueue: CompletionQueue) -> sending [Any]? {
        guard machine.callsNothing else { return nil }
        var released: [Any] = tasks.records.compactMap { $0.takeCompletion() }
        released.append(groups.takeCompletions())
        released.append(contexts.jobEnded())
        while let message = delivery.dequeue(from: completionQueue) {
            if message.withRecord({ _ in }) == nil {
                released.append(message.takeRetainedValue())
            } else {
                receive(message)
            }
        }
        return released
    }

    // MARK: Progress

    /// Stores the job's progress object if there is none yet, and returns the shared one.
    mutating func progressAsked(_ made: JobProgress) -> JobProgress {
        let given = progress ?? made
        progress = given
        return given
    }

    /// Records the fraction of a task.
    ///
    /// - Returns: Whether the fraction is higher than before and the job waits for the task.
    mutating func taskAdvanced(_ record: TaskRecord, to fraction: Double) -> Bool {
        guard record.task != nil, record.isAwaited, fraction > record.fraction else {
            return false
        }
        tally.taskAdvanced(
            weight: record.terms.weight,
            from: record.fraction,
            to: fraction,
            trackedIn: record.generation
        )
        record.advance(to: fraction)
        return true
    }
}

/// The job that a shell belongs to.
struct JobOwner {
    /// The job from its start to its finish, retained here to keep itself alive.
    private(set) var started: JobController?
    /// ``started`` without a retain, for the thread that has the job's token.
    @inline(__always)
    var unretained: Unmanaged<JobController>? { started.map { .passUnretained($0) } }
    /// Set when the job tracks a task before its start.
    private weak var unstarted: JobController?
    /// The queue on which the job was started.
    private(set) weak var startQueue: (any OperationScheduling)?

    /// The job, started or not, while it is alive and may have tasks.
    var known: JobController? { started ?? unstarted }

    mutating func jobTracks(_ job: JobController) { unstarted = job }

    mutating func jobQueued(in queue: any OperationScheduling) { startQueue = queue }

    mutating func jobStarted(_ job: JobController) { started = job }

    mutating func jobFinished() { started = nil }
}
