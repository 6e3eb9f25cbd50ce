/// Decides when each task enters its queue.
///
/// Tasks enter in the order of submission. None enters before the job has started or while it is
/// suspended, and each group has at most as many tasks in their queues as its concurrency limit
/// permits.
///
/// Tasks that may enter are put into a submission queue. One thread at a time moves them from there
/// into their own queues, so the order is kept although no lock is held while a queue is called.
struct JobSubmissionStateMachine<Task: SubmittedTask> {
    private typealias Deferred = (order: Int, task: Task)

    private struct Group {
        var limit = Int.max
        var enqueuedCount = 0
        var deferred = FIFO<Deferred>()

        var mayEnqueue: Bool { enqueuedCount < limit && !deferred.isEmpty }
        var isIdle: Bool { limit == .max && enqueuedCount == 0 && deferred.isEmpty }

        /// Takes a group permit for the task, or defers the task and returns false.
        mutating func enqueueOrDefer(_ task: Deferred, mayEnqueue: Bool) -> Bool {
            guard mayEnqueue, deferred.isEmpty, enqueuedCount < limit else {
                deferred.append(task)
                return false
            }
            enqueuedCount += 1
            return true
        }
    }

    private var isOpen = false
    private var isSuspended = false
    /// Whether any group has, or had, a concurrency limit, so that tasks must be counted.
    private(set) var isCounting = false
    /// The groups that have a limit, deferred tasks or counted tasks.
    private var groups: [Int: Group] = [:]
    private var nextOrder = 0
    private var entries = ActionQueue<Task.QueueEntry>()

    private var mayEnqueue: Bool { isOpen && !isSuspended }
    private var enqueuesAll: Bool { mayEnqueue && !isCounting }

    /// The concurrency limit of a group, or `Int.max` if it has none.
    func limit(of group: Int) -> Int { groups[group]?.limit ?? .max }

    // MARK: Tasks

    /// Lets a task enter its queue if nothing defers it and the submission queue is empty.
    ///
    /// - Returns: False if the task may not enter. Nothing has changed then.
    mutating func enqueueAtOnce(_ task: Task) -> Bool {
        guard enqueuesAll, entries.isIdle else { return false }
        task.submission.stage = .enqueued
        return true
    }

    /// Lets a task enter its queue, or defers it.
    ///
    /// - Returns: The task that the caller must put into its queue. Nil if the task is deferred or
    ///   was put into the submission queue.
    mutating func taskSubmitted(_ task: Task) -> Task.QueueEntry? {
        // The job may have ended before this call got the lock.
        guard task.submission.stage == .none else { return nil }
        defer { nextOrder += 1 }
        // Mutates in place, because even a temporary copy would copy the group's list.
        let isEnqueued =
            enqueuesAll
            || groups[task.group, default: Group()]
                .enqueueOrDefer((nextOrder, task), mayEnqueue: mayEnqueue)
        task.submission.stage = isEnqueued ? .enqueued : .deferred
        guard isEnqueued, let entry = task.queueEntry else { return nil }
        guard !entries.isIdle else { return entry }
        entries.add(entry)
        return nil
    }

    /// Releases the group permit of a finished task, or prevents the task from ever taking one.
    mutating func taskFinished(_ task: Task) {
        switch task.submission.stage {
        case .enqueued:
            task.submission.stage = .finished
            guard isCounting, groups[task.group] != nil else { return }
            groups[task.group]?.enqueuedCount -= 1
            enqueue(of: [task.group], after: task)
        case .none, .deferred:
            task.submission.stage = .cancelled
        case .finished, .cancelled:
            break
        }
    }

    /// Cancels the submission of a task because the job is ending.
    ///
    /// A task that must be cancelled never enters its queue after this call. A task that is left
    /// running still does.
    ///
    /// - Returns: Whether the task was queued, and whether the caller must start it, because no
    ///   queue will.
    mutating func taskCancelled(
        _ task: Task,
        isLeft: Bool
    ) -> (wasQueued: Bool, mustStart: Bool) {
        switch task.submission.stage {
        case .enqueued, .finished: return (true, false)
        case .cancelled: return (false, false)
        case .none, .deferred: break
        }
        let entry = task.queueEntry
        if !isLeft {
            task.submission.stage = .cancelled
            return (false, entry != nil)
        }
        if let entry {
            task.submission.stage = .enqueued
            entries.add(entry)
        }
        return (false, false)
    }

    // MARK: The job

    mutating func jobStarted() {
        isOpen = true
        enqueue(of: Array(groups.keys))
    }

    /// Drops all deferred tasks because the job is ending.
    mutating func jobEnds() {
        for group in groups.keys { groups[group]?.deferred = FIFO() }
    }

    mutating func suspensionChanged(to isSuspended: Bool) {
        self.isSuspended = isSuspended
        enqueue(of: Array(groups.keys))
    }

    /// Counts the tasks that are in their queues, before the first concurrency limit is set.
    mutating func countingBegan(_ tasks: [Task]) {
        isCounting = true
        for task in tasks where task.submission.stage == .enqueued {
            groups[task.group, default: Group()].enqueuedCount += 1
        }
    }

    /// Sets a group's concurrency limit.
    ///
    /// ``countingBegan(_:)`` must come before the first one.
    mutating func limitChanged(to limit: Int, group: Int) {
        precondition(isCounting, "limitChanged() before countingBegan()")
        groups[group, default: Group()].limit = limit
        enqueue(of: [group])
    }

    // MARK: The submission queue

    /// Puts the deferred tasks of some groups into the submission queue, in their order.
    ///
    /// - Parameters:
    ///   - numbers: The groups.
    ///   - cause: The task that released a permit.
    private mutating func enqueue(of numbers: [Int], after cause: Task? = nil) {
        guard mayEnqueue else { return }
        var enqueued: [Deferred] = []
        for number in numbers {
            while groups[number]?.mayEnqueue == true,
                let deferred = groups[number]?.deferred.popFirst()
            {
                // Other code started the task while it was deferred.
                guard deferred.task.submission.stage == .deferred else { continue }
                if isCounting { groups[number]?.enqueuedCount += 1 }
                enqueued.append(deferred)
            }
            if groups[number]?.isIdle == true { groups[number] = nil }
        }
        for (_, task) in enqueued.sorted(by: { $0.order < $1.order }) {
            task.submission.stage = .enqueued
            if let cause { task.submission.causeID = cause.eventID }
            if let entry = task.queueEntry { entries.add(entry) }
        }
    }

    /// Whether the caller must empty the submission queue, because no other thread does so.
    mutating func startDraining() -> Bool { entries.claim() }

    /// Takes the next task from the submission queue, or ends the draining and returns nil.
    mutating func nextEntry() -> Task.QueueEntry? { entries.nextAction() }
}
