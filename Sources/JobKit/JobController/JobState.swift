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
    var admission = JobAdmission()
    var tasks = JobTasks()
    var groups = JobGroups()
    var owner = JobOwner()
    var observers = JobObservers()
    var tally = ProgressTally()
    var contexts = JobContexts()
    /// Nil until somebody asks for it.
    private(set) var progress: JobProgress?
    /// Why the job failed, once that is decided.
    private(set) var failure: (any Error)?

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
        return true
    }

    /// The end was decided; returns the tasks to cancel.
    mutating func cancelBegan() -> [TaskRecord] {
        admission.jobEnds()
        return tasks.unsettled
    }

    /// The job has finished, or is released unstarted; returns what it owned.
    mutating func letGo() -> (records: [TaskRecord], completions: [Int: @Sendable () -> Void]) {
        delivery.jobFinished()
        return (tasks.removeAll(), groups.takeCompletions())
    }

    // MARK: Tasks

    /// What became of a task that is to be tracked.
    enum Tracking {
        case tracked(isAdmitted: Bool)
        /// The job is ending.
        case cancelAtOnce
        case isTrackedAlready
        case jobHasFinished
    }

    /// A task is to be tracked; one that goes to its queue, and that nothing holds back, is
    /// admitted.
    ///
    /// `news` becomes what observers are to be told.
    @inline(__always)
    mutating func taskTracked(
        _ record: TaskRecord,
        _ task: Operation,
        group: JobGroup?,
        by job: JobController,
        isSubmitted: Bool,
        _ news: inout TaskNews?
    ) -> Tracking {
        guard tasks.noteUndelivered(record, task) else { return .isTrackedAlready }
        let number = number(of: group, for: type(of: task))
        let tracking = machine.taskTracked(group: number)
        if !machine.isStarted { owner.jobTracks(job) }
        guard tracking != .refused else { return .jobHasFinished }
        record.joins(group: number)
        news = trackingBegan(record, task, by: job)
        tasks.append(record)
        tally.taskTracked(weight: record.terms.weight)
        guard tracking == .normal else { return .cancelAtOnce }
        return .tracked(isAdmitted: isSubmitted && admission.admitAtOnce(record))
    }

    /// The number of a task's group, which the machine counts.
    @inline(__always)
    private mutating func number(of group: JobGroup?, for type: Operation.Type) -> Int {
        let (number, isNew) = groups.number(of: group, for: type)
        if isNew { machine.groupAdded() }
        return number
    }

    /// The number of a group, which the machine counts.
    mutating func number(of group: JobGroup) -> Int {
        let (number, isNew) = groups.number(of: group)
        if isNew { machine.groupAdded() }
        return number
    }

    /// The completion of a group is set.
    ///
    /// - Returns: A closure that is not called any more: the one before, or, as an ending job tells
    ///   of no group, this one.
    mutating func completionSet(
        _ completion: @escaping @Sendable () -> Void,
        for group: JobGroup
    ) -> (@Sendable () -> Void)? {
        guard machine.ending == nil else { return completion }
        let number = number(of: group)
        return groups.setCompletion(completion, for: number)
    }

    /// The width of a group is set.
    ///
    /// - Parameters:
    ///   - width: The width.
    ///   - group: The group.
    ///   - finished: The tasks that had finished when they were asked, before the first width.
    mutating func widthChanged(to width: Int, for group: JobGroup, finished: [TaskRecord]) {
        let number = number(of: group)
        if !admission.isCounting { admission.beginCounting(tasks.records, finished: finished) }
        admission.widthChanged(to: width, group: number)
    }

    /// Whether the job has not ended and waits for a task.
    func waits(for record: TaskRecord) -> Bool {
        machine.ending == nil && record.task != nil && !record.isSettled
    }

    // MARK: Delivering

    /// What the job's deliverer does next.
    @inline(__always)
    mutating func nextStep(from mailbox: JobMailbox, at now: CoarseTime) -> Machine.Step {
        if !machine.hasArrivals, let mail = delivery.takeFirst(from: mailbox) { putAside(mail) }
        let step = machine.nextStep()
        if case .deliver(let mail) = step {
            mail.withRecord { $0.settle() }
            observers.callbackBegins(of: mail)
        }
        delivery.stepBegan(step, at: now)
        return step
    }

    /// Notes mail that was taken out of the mailbox.
    private mutating func putAside(_ mail: Mail) {
        let (group, hasFailed) =
            mail.withRecord { record in
                (record.group, record.failure != nil && record.terms.failure != .carryOn)
            } ?? (nil, false)
        machine.mailArrived(mail, group: group, hasFailed: hasFailed)
    }

    /// Takes mail that nobody will deliver.
    mutating func takeUndeliverable(from mailbox: JobMailbox) -> Mail? {
        machine.takeArrival() ?? delivery.takeFirst(from: mailbox)
    }

    /// The callbacks of mail have returned.
    @inline(__always)
    mutating func delivered(_ mail: Mail) -> Released? {
        delivery.callbackReturned()
        return mail.withRecord { record in
            tally.taskDelivered(weight: record.terms.weight, fraction: record.fraction)
            return taskEnded(record)
        }
    }

    /// A task was delivered, or is not to be.
    @inline(__always)
    mutating func taskEnded(_ record: TaskRecord) -> Released {
        tasks.taskEnded(record)
        return empty(record)
    }

    /// What a record owned, to be released with no lock held.
    struct Released {
        let task: Operation?
        let queue: (any OperationScheduling)?
    }

    /// Empties a record whose task is no longer any concern of the job's.
    @inline(__always)
    mutating func empty(_ record: TaskRecord) -> Released {
        tasks.forgetUndelivered(record)
        let (task, queue) = record.empty()
        admission.taskFinished(record)
        return Released(task: task, queue: queue)
    }

    // MARK: Ending

    /// What follows from the wish to wait for a task no longer.
    enum Settling {
        /// The job did not wait for it, or whoever tells something of it settles it later.
        case nothing
        case settled
        /// Tell that the task is dropped, and settle it then.
        case tellDropped(TaskNews?)
    }

    /// The job waits for a task no longer, or need not because it has stopped.
    mutating func settle(_ record: TaskRecord, hasFinished: Bool) -> Settling {
        guard !record.isSettled else { return .nothing }
        let isObserved = !hasFinished && !observers.isEmpty
        switch record.change({ $0.settle(isObserved: isObserved) }) {
        case .later:
            return .nothing
        case .tellDropped:
            return .tellDropped(news(of: record))
        case .settle:
            record.settle()
            machine.taskStopped()
            return .settled
        }
    }

    /// Takes the closures and delays of a job that has ended before it was to enter `main()`; nil
    /// if it has not.
    mutating func takeUncallable(from mailbox: JobMailbox) -> sending [Any]? {
        guard machine.callsNothing else { return nil }
        var released: [Any] = tasks.records.compactMap { $0.takeCompletion() }
        released.append(groups.takeCompletions())
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

    /// Somebody asks for the job's progress; returns the one that all are given.
    mutating func progressAsked(_ made: JobProgress) -> JobProgress {
        let given = progress ?? made
        progress = given
        return given
    }

    /// Counts how far a task is; returns whether that is further than before, and of interest.
    mutating func taskAdvanced(_ record: TaskRecord, to fraction: Double) -> Bool {
        guard record.task != nil, !record.isSettled, fraction > record.fraction else {
            return false
        }
        tally.taskAdvanced(weight: record.terms.weight, from: record.fraction, to: fraction)
        record.advance(to: fraction)
        return true
    }
}
