import Dispatch
import Foundation

/// The state of a job, guarded by the lock of its ``JobShell``.
///
/// Each value in it encapsulates its own state, and only the methods of this type change it. They
/// return the actions that the shell must perform after it has released the lock.
struct JobState {
    /// A message is retained from its arrival until it was delivered.
    ///
    /// Unmanaged, because counting references for the copies of each step would cost a tenth of the
    /// step.
    typealias Message = Unmanaged<JobMessage>
    typealias Machine = JobStateMachine<Message>

    private(set) var machine = Machine()
    var submission = JobSubmissionStateMachine<TaskRecord>()
    private(set) var tasks = JobTasks()
    var groups = JobGroups()
    var observers = JobObservers()
    var tally = ProgressTally()
    var contexts = JobContexts()
    /// The job from its start to its finish, retained here to keep itself alive.
    private(set) var startedJob: JobController?
    /// Set when the job tracks a task before its start.
    private(set) weak var unstartedJob: JobController?
    /// The queue on which the job was started.
    private(set) weak var startQueue: (any OperationScheduling)?
    /// The action that calls the running callback, and when the callback began.
    private(set) var callback: (action: Machine.Action, since: CoarseTime)?
    /// Runs callbacks when no JobKit thread is available.
    ///
    /// A serial queue has its own thread, so it runs even if all threads of other queues are
    /// blocked.
    private(set) lazy var ownQueue = DispatchQueue(label: "JobKit.callbacks")
    /// The Swift task that runs the job's own work.
    private(set) var work: RunningTask?
    /// Nil until the progress is read.
    var progress: JobProgress?
    /// The tasks that the job had left when it finished.
    private(set) var leftTasks: [LeftTask] = []
    /// When the job's end was decided.
    private(set) var endRequestedAt = CoarseTime(rawValue: 0)

    // MARK: Start and end

    /// Records the queue on which the job is started.
    mutating func jobQueued(in queue: any OperationScheduling) { startQueue = queue }

    /// Starts the job.
    ///
    /// - Returns: Whether the caller must call `main()`, and the tasks that were tracked before.
    mutating func jobStarted(
        _ job: JobController,
        mayEnterMain: Bool
    ) -> (entersMain: Bool, tasks: [Operation]) {
        startedJob = job
        let earlier = machine.openCount > 0 ? tasks.operations : []
        guard mayEnterMain, machine.ending == nil else {
            machine.startedWithoutMain()
            return (false, earlier)
        }
        machine.mainEntered()
        submission.jobStarted()
        return (true, earlier)
    }

    /// Lets the job be abandoned as a whole, like an operation that is not a job.
    mutating func becomeStep() { machine.isStep = true }

    /// Records that `main()` has returned, or was skipped.
    mutating func mainReturned() {
        tally.codeReturned()
        machine.mainReturned()
    }

    mutating func suspensionChanged(to isSuspended: Bool) {
        machine.suspensionChanged(to: isSuspended)
        submission.suspensionChanged(to: isSuspended)
    }

    /// The tasks and the work that an ending job cancels.
    typealias Cancelled = (tasks: [TaskCancelStep], work: RunningTask?)

    /// Begins to end the job, unless its end was already decided.
    ///
    /// - Parameters:
    ///   - ending: How the job ends.
    ///   - job: The job.
    ///   - failure: Why it has failed.
    /// - Returns: The tasks and the work to cancel. Nil if the end was already decided.
    mutating func endRequested(
        _ ending: Machine.Ending,
        of job: JobController,
        failure: (any Error)? = nil
    ) -> Cancelled? {
        machine.endRequested(ending) ? endBegan(of: job, failure: failure) : nil
    }

    private mutating func endBegan(of job: JobController, failure: (any Error)?) -> Cancelled {
        job.storedError = failure
        endRequestedAt = .now
        submission.jobEnds()
        return (tasksToCancel, work)
    }

    /// Records that every task was cancelled.
    mutating func tasksCancelled() { machine.tasksCancelled() }

    /// Records that a task was cancelled that was tracked after the end was decided.
    ///
    /// - Returns: Whether the job no longer waits for any task.
    mutating func lateTaskCancelled() -> Bool {
        machine.lateTaskCancelled()
        return machine.hasLeftTasks
    }

    /// The tasks that an ending job cancels or leaves.
    var tasksToCancel: [TaskCancelStep] {
        tasks.awaited.compactMap { record in record.task.map { TaskCancelStep(record, $0) } }
    }

    /// Everything that a job owned, which must be released with no lock held.
    typealias Owned = (
        records: [TaskRecord], messages: [Message], completions: [Int: @Sendable () -> Void],
        contexts: JobContexts
    )

    /// Removes everything that the job owns, because it has finished or is released unstarted.
    mutating func releaseAll() -> Owned {
        // The record of a running callback stays until the callback returns.
        (
            tasks.removeAll(but: callbackRecord), machine.released(), groups.takeCompletions(),
            contexts.jobEnded()
        )
    }

    /// Decides the outcome of the job after ``JobStateMachine/Action/finish(_:)``.
    ///
    /// The lifecycle of the operation changes together with this state. Therefore, a cancellation
    /// comes either before the decision or after it in both of them.
    ///
    /// - Returns: How the outcome changes the operation, and everything that the job owned. Nil if
    ///   the job cannot finish yet, because its state has changed since the action.
    mutating func finished(
        _ job: JobController,
        _ ending: Machine.Ending,
        _ error: (any Error)?
    ) -> (decision: OperationLifecycle.EndDecidedAction, owned: Owned)? {
        guard machine.finished(ending) else { return nil }
        if ending != .failed { job.storedError = error }
        let flags = job.flagsOfStoredError
        return (job.transition { $0.endDecided(flags) }, releaseAll())
    }

    /// Records the tasks that the finished job has left, and no longer keeps the job alive.
    mutating func jobFinished(leaving tasks: [LeftTask]) { (leftTasks, startedJob) = (tasks, nil) }

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

    // MARK: Work

    /// Begins the work, unless the job is ending or suspended.
    ///
    /// - Returns: Whether the work has begun. Nil if it must wait until the job is resumed.
    mutating func workBegins() -> Bool? {
        guard machine.ending == nil else { return false }
        guard !machine.isSuspended else { return nil }
        machine.workBegan()
        return true
    }

    /// Stores the Swift task of the work.
    ///
    /// - Returns: Whether the caller must cancel the Swift task, because the job has ended in the
    ///   meantime.
    mutating func workStarted(_ task: RunningTask) -> Bool {
        if machine.isWorking { work = task }
        return machine.ending != nil
    }

    /// Ends the work and returns its Swift task, which the caller must release with no lock held.
    mutating func workEnded() -> RunningTask? {
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
        if !machine.isStarted { unstartedJob = job }
        guard tracking == .normal || tracking == .cancelAtOnce else {
            tasks.forgetUndelivered(record)
            return (tracking, false)
        }
        record.joins(group: number, in: tally.taskTracked(weight: record.terms.weight))
        if !observers.isEmpty, let notification = trackingBegan(record) {
            notifications.append(notification)
        }
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

    // MARK: Delivering

    /// Records that a task has finished, and frees its permit in a limited group.
    ///
    /// The message comes first, because the task that gets the permit may finish at once.
    mutating func taskFinished(_ record: TaskRecord, hasFailed: Bool) {
        tasks.taskFinished(hasFailed: hasFailed)
        let isFailure = hasFailed && record.terms.failure != .carryOn
        messageArrived(record, group: record.group, hasFailed: isFailure)
        submission.taskFinished(record)
    }

    /// Records that there is something to deliver.
    mutating func messageArrived(
        _ message: JobMessage,
        group: Int? = nil,
        hasFailed: Bool = false
    ) {
        let message = Message.passRetained(message)
        if !machine.messageArrived(message, group: group, hasFailed: hasFailed) {
            message.release()
        }
    }

    /// Decides the next action of the delivering thread.
    @inline(__always)
    mutating func nextAction(at now: CoarseTime) -> Machine.Action {
        tally.codeReturned()
        let action = machine.nextAction()
        if case .deliver(let message) = action {
            message.withRecord { $0.stopWaiting() }
            observers.callbackBegins(of: message)
        }
        callback = action.callsCode ? (action, now) : nil
        if callback != nil { tally.codeBegins() }
        return action
    }

    /// Records that a callback has returned.
    @inline(__always)
    mutating func codeReturned() {
        callback = nil
        tally.codeReturned()
    }

    /// Records that `taskFailed(_:error:)` has returned, or that the task's terms have a response.
    ///
    /// - Returns: The tasks and the work to cancel, if the job fails.
    mutating func failureAnswered(
        _ response: FailureResponse,
        _ failure: any Error,
        of job: JobController
    ) -> Cancelled? {
        codeReturned()
        return machine.failureAnswered(response) ? endBegan(of: job, failure: failure) : nil
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

    /// Discards a finished task that will not be delivered.
    mutating func discarded(_ record: TaskRecord) -> TaskRecord.Released {
        _ = stopWaiting(for: record, hasFinished: true)
        return taskEnded(record)
    }

    /// Empties the record of a task that the job no longer needs.
    @inline(__always)
    mutating func empty(_ record: TaskRecord) -> TaskRecord.Released {
        tasks.forgetUndelivered(record)
        defer { submission.taskFinished(record) }
        return record.empty()
    }

    // MARK: Ending

    /// The notification that a task is dropped, which is nil if the job has no observers any longer.
    typealias Drop = TaskNotification?

    /// Stops waiting for a task, unless observers must be notified first.
    ///
    /// - Returns: The notification that the caller must post. Afterwards, the job stops waiting.
    mutating func stopWaiting(for record: TaskRecord, hasFinished: Bool = false) -> Drop? {
        guard record.isAwaited else { return nil }
        let isObserved = !hasFinished && !observers.isEmpty
        switch record.notifications.waitIsOver(isObserved: isObserved) {
        case .later: return nil
        case .notifyDrop: return .some(notification(.dropped, of: record))
        case .stopWaiting:
            record.stopWaiting()
            machine.taskStopped()
            return nil
        }
    }

    /// Cancels the submission of a task, because the job is ending.
    ///
    /// - Parameters:
    ///   - record: The task's record.
    ///   - isLeft: Whether the task is left running.
    ///   - stopsWaiting: Whether the job stops waiting for the task.
    /// - Returns: Whether the task was queued, whether the caller must start it, and the
    ///   notification to post. Nil if the job has released the task.
    mutating func taskCancelled(
        _ record: TaskRecord,
        isLeft: Bool,
        stopsWaiting: Bool
    ) -> (wasQueued: Bool, mustStart: Bool, drop: Drop?)? {
        guard record.task != nil else { return nil }
        if isLeft { record.leave() }
        let (wasQueued, mustStart) = submission.taskCancelled(record, isLeft: isLeft)
        return (wasQueued, mustStart, stopsWaiting ? stopWaiting(for: record) : nil)
    }

    /// Removes the closures and delays of a job that has ended before it entered `main()`.
    ///
    /// - Returns: Nil for any other job.
    mutating func takeUncallable() -> sending [Any]? {
        guard machine.callsNothing else { return nil }
        var released: [Any] = tasks.records.compactMap { $0.takeCompletion() }
        released.append(groups.takeCompletions())
        released.append(contexts.jobEnded())
        released.append(machine.takeCallbacks().map { $0.takeRetainedValue() })
        return released
    }
}
