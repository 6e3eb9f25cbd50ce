import Foundation
import Synchronization

/// Tracking tasks and hearing of their finish.
extension JobShell {
    /// Begins to track the record's task.
    ///
    /// - Parameters:
    ///   - record: The task's record.
    ///   - task: The record's task.
    ///   - group: The group given, if any.
    ///   - job: The job.
    ///   - isSubmittedLater: Whether the task goes into its queue only when ``submitLater(_:)`` says so.
    func track(
        _ record: TaskRecord,
        _ task: Operation,
        group: JobGroup?,
        for job: JobController,
        isSubmittedLater: Bool = false
    ) {
        refuseAncestor(task, of: job)
        // Read here, because the record may be delivered and emptied as soon as it listens.
        let queue = record.queue
        let isQueued = queue != nil
        var news: TaskNews?
        let (isNoted, tracking, isAdmitted) = state.withLock { state -> (Bool, JobTracking, Bool) in
            guard noteUndelivered(record, task, &state) else { return (false, .refused, false) }
            let (number, isNew) = state.groups.number(of: group, for: type(of: task))
            if isNew { state.machine.groupAdded() }
            let tracking = state.machine.taskTracked(group: number)
            if !state.machine.isStarted { state.owner = job }
            guard tracking != .refused else { return (true, .refused, false) }
            record.group = number
            news = trackingBegan(record, task, by: job, &state)
            state.tasks.append(record)
            state.counts.taskTracked()
            state.tally.taskTracked(weight: record.terms.weight)
            let isAdmitted =
                isQueued && !isSubmittedLater && tracking == .normal
                && state.admission.admitAtOnce(record)
            return (true, tracking, isAdmitted)
        }
        guard tracking != .refused else {
            let reason = isNoted ? "has finished" : "tracks \(operationLabel(task)) already"
            fatalError(
                "JobKit: \(job.label) was told to track \(operationLabel(task)), but it \(reason)."
            )
        }
        if let news { tellTracked(record, news) }
        passOnContext(to: task)
        if isAdmitted, let queue = queue as? TaskQueue {
            put(task, into: queue.shell, hearingOf: record, of: job)
        } else {
            listen(to: task, record)
            if tracking == .cancelAtOnce {
                CancelSweep.cancel(record, of: self)
                state.withLock { $0.machine.lateTaskCancelled() }
                releaseUncallable()
                deliverElsewhere()
            } else if let queue, isAdmitted, !task.isFinished {
                put(task, into: queue, record)
            } else if isQueued, !isSubmittedLater, !task.isFinished {
                submit(record)
            }
        }
        passOnProgress(of: task, record)
        let hasTasks = record.isConcurrent && (task as? JobController)?.shell.hasTasks == true
        if !isQueued || hasTasks {
            offerPlaces(to: task)
        }
    }

    private typealias JobTracking = Machine.Tracking

    /// Puts a task into a queue that tells of its finish, unless it was started before.
    private func put(
        _ task: Operation,
        into queue: TaskQueueShell,
        hearingOf record: TaskRecord,
        of job: JobController
    ) {
        switch queue.addTracked(task, record, of: job) {
        case .stands: break
        case .hasFinished: heardOf(record)
        // A plain operation does not keep by itself who is to hear of its finish.
        case .hasStarted: if !record.isConcurrent { watch(task, record) }
        }
    }

    // MARK: Finishes

    private func listen(to task: Operation, _ record: TaskRecord) {
        guard let concurrent = task as? ConcurrentOperation else { return watch(task, record) }
        if !concurrent.hooks.withLock({ $0.subscribe(record) }) { heardOf(record) }
    }

    /// Hears of the finish of a plain operation, unless the job has ended meanwhile.
    private func watch(_ task: Operation, _ record: TaskRecord) {
        guard !task.isFinished else { return heardOf(record) }
        let hook = state.withLock { _ in
            record.task == nil ? nil : PlainOperations.subscribe(record, to: task)
        }
        hook?.watch(task)
    }

    private func heardOf(_ record: TaskRecord) {
        taskFinished(record)
        deliverElsewhere()
    }

    /// Called on the thread of the finish; the caller sees to the delivery.
    func taskFinished(_ record: TaskRecord) {
        if isObserved.load(ordering: .acquiring) { tellFinished(record) }
        // Before the place is free: the task that gets it may finish at once.
        mailbox.put(record)
        leaveQueue(record)
    }

    /// Notes that the record's task is not delivered; returns false if it was noted already.
    private func noteUndelivered(
        _ record: TaskRecord,
        _ task: Operation,
        _ state: inout State
    ) -> Bool {
        let id = ObjectIdentifier(task)
        guard !state.undelivered.contains(id) else { return false }
        if record.isConcurrent {
            let concurrent = unsafeDowncast(task, to: ConcurrentOperation.self)
            let (isNoted, other) = concurrent.trackingJob.compareExchange(
                expected: 0,
                desired: identity,
                ordering: .acquiringAndReleasing
            )
            if isNoted { return true }
            if other == identity { return false }
        }
        state.undelivered.insert(id)
        return true
    }

    func forgetUndelivered(_ task: Operation, isConcurrent: Bool, _ state: inout State) {
        if isConcurrent {
            let concurrent = unsafeDowncast(task, to: ConcurrentOperation.self)
            let (isForgotten, _) = concurrent.trackingJob.compareExchange(
                expected: identity,
                desired: 0,
                ordering: .acquiringAndReleasing
            )
            if isForgotten { return }
        }
        state.undelivered.remove(ObjectIdentifier(task))
    }

    /// The address: unique among the jobs that live.
    private var identity: UInt { UInt(bitPattern: ObjectIdentifier(self)) }

    func setCompletion(_ completion: sending @escaping () -> Void, for group: JobGroup) {
        // Sent here, and called by one thread at a time.
        nonisolated(unsafe) let sent = completion
        let completion: @Sendable () -> Void = { sent() }
        let replaced = state.withLock { state in
            let (number, isNew) = state.groups.number(of: group)
            if isNew { state.machine.groupAdded() }
            return state.groups.setCompletion(completion, for: number)
        }
        // What it captured is released here, without the lock.
        _ = replaced
        releaseUncallable()
    }
}
