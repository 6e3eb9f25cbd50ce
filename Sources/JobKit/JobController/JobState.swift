import Dispatch
import Foundation

/// What a job knows; the lock of its ``JobShell`` guards it.
///
/// Each value in it keeps its state to itself. The methods here are the inputs that concern several
/// of them; they return what the shell is to do when it has released the lock.
struct JobState {
    /// The mail is retained from its way into the mailbox until it was delivered.
    ///
    /// Unmanaged, because counting the references of each step's copies would cost more than the
    /// rest of the delivery.
    typealias Mail = Unmanaged<JobMail>
    typealias Machine = JobStateMachine<Mail>

    var machine = Machine()
    var delivery = JobDelivery()
    var admission = AdmissionStateMachine<TaskRecord>()
    var tasks = JobTasks()
    var groups = JobGroups()
    var owner = JobOwner()
    var observers = JobObservers()
    var tally = ProgressTally()
    var contexts = JobContexts()
    /// What runs the job's own work, beside its tasks.
    private(set) var work: Task<Void, Never>?
    /// Nil until it is asked for.
    private(set) var progress: JobProgress?
    /// The tasks that the job had left when it finished.
    private(set) var leftTasks: [LeftTask] = []
    /// Why the job failed, once that is decided.
    private(set) var failure: (any Error)?
    /// When the job's end was decided.
    private(set) var endRequestedAt = CoarseTime(rawValue: 0)

    // MARK: Life

    /// The job is being started.
    ///
    /// - Returns: Whether `main()` is to be called, and whether there are tasks.
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
        admission.jobStarted()
        return (true, hasTasks)
    }

    /// `main()` has returned, or was not to be entered.
    mutating func mainReturned() {
        tally.codeReturned()
        if machine.isStarted, !machine.isAfterMain { machine.mainReturned() }
    }

    mutating func suspensionChanged(to isSuspended: Bool) {
        machine.suspensionChanged(to: isSuspended)
        admission.suspensionChanged(to: isSuspended)
    }

    /// Ends the job, unless something else has decided its end; returns whether this decided it.
    mutating func endRequested(_ ending: Machine.Ending, failure: (any Error)?) -> Bool {
        guard machine.endRequested(ending) else { return false }
        self.failure = failure
        endRequestedAt = .now
        return true
    }

    /// The job was cancelled while it was about to finish as completed.
    mutating func completionRefused() {
        machine.completionRefused()
        endRequestedAt = .now
    }

    /// The end was decided; returns the tasks to cancel, and the work.
    mutating func cancelBegan() -> (tasks: [TaskCancelStep], work: Task<Void, Never>?) {
        admission.jobEnds()
        return (tasksToCancel, work)
    }

    /// The tasks that an ending job cancels or leaves.
    var tasksToCancel: [TaskCancelStep] {
        tasks.awaited.compactMap { record in record.task.map { TaskCancelStep(record, $0) } }
    }

    /// The job has finished, or is released unstarted; returns what it owned.
    mutating func letGo() -> (
        records: [TaskRecord], completions: [Int: @Sendable () -> Void], contexts: JobContexts
    ) {
        // The record whose callback is running stays until that returns.
        let records = tasks.removeAll(but: delivery.callback?.record)
        return (records, groups.takeCompletions(), contexts.jobEnded())
    }

    /// The time to stop has passed.
    ///
    /// - Returns: The tasks that the job leaves, and whether it is abandoned. Nil if it is not
    ///   ending, or has finished.
    mutating func stopTimePassed() -> (left: [TaskRecord], isAbandoned: Bool)? {
        let isWorking = machine.isWorking
        guard machine.stopTimePassed() else { return nil }
        let left = tasks.awaited
        return (left, machine.isStep && (isWorking || !left.isEmpty))
    }

    /// The job finishes, and leaves these tasks.
    mutating func tasksLeft(_ tasks: [LeftTask]) { leftTasks = tasks }

    // MARK: Work

    /// What becomes of work that is to be started.
    enum WorkStart {
        case begins
        /// The job is suspended.
        case waits
        /// The job is ending.
        case refused
    }

    mutating func workBegins() -> WorkStart {
        guard machine.ending == nil else { return .refused }
        guard !machine.isSuspended else { return .waits }
        machine.workBegan()
        return .begins
    }

    /// The work has its task.
    ///
    /// - Returns: Whether the job has ended meanwhile, so that the caller cancels the task.
    mutating func workStarted(_ task: Task<Void, Never>) -> Bool {
        if machine.isWorking { work = task }
        return machine.ending != nil
    }

    /// The work has ended; returns its task, to be released with no lock held.
    mutating func workEnded() -> Task<Void, Never>? {
        machine.workEnded()
        return work.take()
    }

    // MARK: Tasks

    /// A task is to be tracked; one that goes to its queue, and that nothing holds back, is
    /// admitted.
    ///
    /// `notification` becomes the one for observers.
    ///
    /// - Returns: How it is tracked, nil if it is tracked already; and whether it is admitted.
    @inline(__always)
    mutating func taskTracked(
        _ record: TaskRecord,
        _ task: Operation,
        group: JobGroup?,
        by job: JobController,
        isSubmitted: Bool,
        _ notifications: inout [TaskNotification]
    ) -> (tracking: Machine.Tracking?, isAdmitted: Bool) {
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
        let isAdmitted = tracking == .normal && isSubmitted && admission.admitAtOnce(record)
        return (tracking, isAdmitted)
    }

    /// The completion of a group is set.
    ///
    /// - Returns: A closure that is not called any more: the one before, or, in an ending job, this
    ///   one.
    mutating func completionSet(
        _ completion: @escaping @Sendable () -> Void,
        for group: JobGroup
    ) -> (@Sendable () -> Void)? {
        guard machine.ending == nil else { return completion }
        return groups.setCompletion(completion, for: group)
    }

    /// The width of a group is set.
    ///
    /// - Parameters:
    ///   - width: The width.
    ///   - group: The group.
    ///   - finished: The tasks that had finished when they were asked, before the first width.
    mutating func widthChanged(to width: Int, for group: JobGroup, finished: [TaskRecord]) {
        let number = groups.number(of: group)
        if !admission.isCounting { admission.countingBegan(tasks.records, finished: finished) }
        admission.widthChanged(to: width, group: number)
    }

    /// Whether the job has not ended and waits for a task.
    func waits(for record: TaskRecord) -> Bool {
        machine.ending == nil && record.task != nil && record.isAwaited
    }

    // MARK: Delivering

    /// What the job's deliverer does next.
    @inline(__always)
    mutating func nextStep(from mailbox: JobMailbox, at now: CoarseTime) -> Machine.Step {
        tally.codeReturned()
        if !machine.hasArrivals, let mail = delivery.takeFirst(from: mailbox) { putAside(mail) }
        let step = machine.nextStep()
        if case .deliver(let mail) = step {
            mail.withRecord { $0.stopWaiting() }
            observers.callbackBegins(of: mail)
        }
        if delivery.stepBegan(step, at: now) { tally.codeBegins() }
        return step
    }

    /// Whether the deliverer finds nothing to do until something changes.
    @inline(__always)
    func hasNothingDue(_ mailbox: JobMailbox) -> Bool {
        mailbox.isEmpty && machine.hasNothingDue
    }

    /// Notes mail that was taken out of the mailbox.
    private mutating func putAside(_ mail: Mail) {
        let (group, hasFailed) =
            mail.withRecord { record in
                (record.group, record.failure != nil && record.terms.failure != .carryOn)
            } ?? (nil, false)
        machine.mailArrived(mail, group: group, hasFailed: hasFailed)
    }

    /// Takes mail that will not be delivered.
    mutating func takeUndeliverable(from mailbox: JobMailbox) -> Mail? {
        machine.takeArrival() ?? delivery.takeFirst(from: mailbox)
    }

    /// A callback has returned.
    @inline(__always)
    mutating func codeReturned() {
        delivery.callbackReturned()
        tally.codeReturned()
    }

    /// The callbacks of mail have returned.
    @inline(__always)
    mutating func delivered(_ mail: Mail) -> TaskRecord.Released? {
        codeReturned()
        return mail.withRecord { record in
            tally.taskDelivered(weight: record.terms.weight, fraction: record.fraction)
            return taskEnded(record)
        }
    }

    /// A task was delivered, or will not be.
    @inline(__always)
    mutating func taskEnded(_ record: TaskRecord) -> TaskRecord.Released {
        tasks.taskEnded(record)
        return empty(record)
    }

    /// Empties the record of a task that the job is done with.
    @inline(__always)
    mutating func empty(_ record: TaskRecord) -> TaskRecord.Released {
        tasks.forgetUndelivered(record)
        defer { admission.taskFinished(record) }
        return record.empty()
    }

    // MARK: Ending

    /// The job need not wait for a task any more.
    ///
    /// - Returns: Whether the caller is to notify observers that the task is dropped, after which
    ///   the job stops waiting; and the notification.
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

    /// Takes out the closures and delays of a job that has ended before it entered `main()`; nil for
    /// any other job.
    mutating func takeUncallable(from mailbox: JobMailbox) -> sending [Any]? {
        guard machine.callsNothing else { return nil }
        var released: [Any] = tasks.records.compactMap { $0.takeCompletion() }
        released.append(groups.takeCompletions())
        released.append(contexts.jobEnded())
        while let mail = delivery.takeFirst(from: mailbox) {
            if mail.withRecord({ _ in }) == nil {
                released.append(mail.takeRetainedValue())
            } else {
                putAside(mail)
            }
        }
        return released
    }

    // MARK: Progress

    /// The job's progress is asked for; returns the one that all callers get.
    mutating func progressAsked(_ made: JobProgress) -> JobProgress {
        let given = progress ?? made
        progress = given
        return given
    }

    /// Counts how far a task is; returns whether it has advanced, and the job waits for it.
    mutating func taskAdvanced(_ record: TaskRecord, to fraction: Double) -> Bool {
        guard record.task != nil, record.isAwaited, fraction > record.fraction else {
            return false
        }
        tally.taskAdvanced(
            weight: record.terms.weight,
            from: record.fraction,
            to: fraction,
            trackedIn: record.stretch
        )
        record.advance(to: fraction)
        return true
    }
}

/// The job that a shell belongs to.
struct JobOwner {
    /// The job from its start to its finish: a started job keeps itself alive.
    private(set) var started: JobController?
    /// ``started`` without a retain, for the thread that has the job's turn.
    @inline(__always)
    var unretained: Unmanaged<JobController>? { started.map { .passUnretained($0) } }
    /// Set when the job tracks a task before its start.
    private weak var unstarted: JobController?
    /// The queue that the job was put into.
    private(set) weak var startQueue: (any OperationScheduling)?

    /// The job, started or not, as long as it lives and may have tasks.
    var known: JobController? { started ?? unstarted }

    mutating func jobTracks(_ job: JobController) { unstarted = job }

    mutating func jobQueued(in queue: any OperationScheduling) { startQueue = queue }

    mutating func jobStarted(_ job: JobController) { started = job }

    mutating func jobFinished() { started = nil }
}
