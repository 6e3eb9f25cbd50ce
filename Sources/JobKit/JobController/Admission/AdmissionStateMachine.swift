/// Decides when each task enters its queue.
///
/// Tasks enter in the order of submission. None enters before the job has started or while it is
/// suspended, and each group has at most as many tasks in their queues as its concurrency limit
/// permits.
///
/// Admitted tasks are put in a line. One thread at a time moves them from the line into their
/// queues, so the order is kept although no lock is held while a queue is called.
struct AdmissionStateMachine<Task: AdmittedTask> {
    private typealias Held = (order: Int, task: Task)

    private struct Group {
        var width = Int.max
        var admittedCount = 0
        var held = FIFO<Held>()

        var mayAdmit: Bool { admittedCount < width && !held.isEmpty }
        var isIdle: Bool { width == .max && admittedCount == 0 && held.isEmpty }

        /// Admits the task and takes a group permit, or holds it and returns false.
        mutating func admitOrHold(_ task: Held, mayGo: Bool) -> Bool {
            guard mayGo, held.isEmpty, admittedCount < width else {
                held.append(task)
                return false
            }
            admittedCount += 1
            return true
        }
    }

    private var isOpen = false
    private var isSuspended = false
    /// Whether any group has, or had, a concurrency limit, so that tasks must be counted.
    private(set) var isCounting = false
    /// The groups that have a limit, held tasks or counted tasks.
    private var groups: [Int: Group] = [:]
    private var nextOrder = 0
    private var line = ActionQueue<Task.Submission>()

    private var mayAdmit: Bool { isOpen && !isSuspended }
    private var admitsAll: Bool { mayAdmit && !isCounting }

    /// The concurrency limit of a group, and how many of its permits are taken.
    func places(of group: Int) -> (width: Int, taken: Int) {
        groups[group].map { ($0.width, $0.admittedCount) } ?? (.max, 0)
    }

    // MARK: Tasks

    /// Admits a task if nothing holds it back and no other task is in line before it.
    ///
    /// - Returns: False if the task was not admitted. Nothing has changed then.
    @inline(__always)
    mutating func admitAtOnce(_ task: Task) -> Bool {
        guard admitsAll, line.isIdle else { return false }
        task.admission.stage = .admitted
        return true
    }

    /// Admits a task or holds it.
    ///
    /// - Returns: The submission that the caller must put into its queue. Nil if the task is held
    ///   or was put in the line.
    mutating func taskSubmitted(_ task: Task) -> Task.Submission? {
        // The job may have ended before this call got the lock.
        guard task.admission.stage == .none else { return nil }
        defer { nextOrder += 1 }
        // Mutates in place, because even a temporary copy would copy the group's list.
        let goes =
            admitsAll
            || groups[task.group, default: Group()].admitOrHold((nextOrder, task), mayGo: mayAdmit)
        task.admission.stage = goes ? .admitted : .held
        guard goes, let submission = task.submission else { return nil }
        guard !line.isIdle else { return submission }
        line.add(submission)
        return nil
    }

    /// Releases the group permit of a finished task, or prevents the task from ever taking one.
    mutating func taskFinished(_ task: Task) {
        switch task.admission.stage {
        case .admitted:
            task.admission.stage = .left
            guard isCounting, groups[task.group] != nil else { return }
            groups[task.group]?.admittedCount -= 1
            admit(of: [task.group], after: task)
        case .none, .held:
            task.admission.stage = .withdrawn
        case .left, .withdrawn:
            break
        }
    }

    /// How far a task had got when its ending job withdrew it.
    struct Withdrawal {
        var wasQueued = false
        /// Whether the caller must start the task, because no queue will.
        var mustStart = false
    }

    /// Withdraws a task because the job is ending, and reports whether it was, or will be, queued.
    ///
    /// A task that must be cancelled never enters its queue after this call. A task that is left
    /// running still does.
    mutating func withdraw(_ task: Task, isLeft: Bool) -> Withdrawal {
        switch task.admission.stage {
        case .admitted, .left: return Withdrawal(wasQueued: true)
        case .withdrawn: return Withdrawal()
        case .none, .held: break
        }
        let submission = task.submission
        if !isLeft {
            task.admission.stage = .withdrawn
            return Withdrawal(mustStart: submission != nil)
        }
        if let submission {
            task.admission.stage = .admitted
            line.add(submission)
        }
        return Withdrawal()
    }

    // MARK: The job

    mutating func jobStarted() {
        isOpen = true
        admit(of: Array(groups.keys))
    }

    /// Drops all held tasks because the job is ending.
    mutating func jobEnds() {
        for group in groups.keys { groups[group]?.held = FIFO() }
    }

    mutating func suspensionChanged(to isSuspended: Bool) {
        self.isSuspended = isSuspended
        admit(of: Array(groups.keys))
    }

    /// Counts the tasks that are in their queues, before the first concurrency limit is set.
    ///
    /// - Parameters:
    ///   - tasks: All tasks.
    ///   - finished: The tasks that had already finished when this was checked.
    mutating func countingBegan(_ tasks: [Task], finished: [Task]) {
        isCounting = true
        for task in finished where task.admission.stage == .admitted {
            task.admission.stage = .left
        }
        for task in tasks where task.admission.stage == .admitted {
            groups[task.group, default: Group()].admittedCount += 1
        }
    }

    /// Sets a group's concurrency limit.
    ///
    /// ``countingBegan(_:finished:)`` must come before the first one.
    mutating func widthChanged(to width: Int, group: Int) {
        precondition(isCounting, "widthChanged() before countingBegan()")
        groups[group, default: Group()].width = width
        admit(of: [group])
    }

    // MARK: The line

    /// Admits the held tasks of some groups, in the order of submission, and puts them in the line.
    ///
    /// - Parameters:
    ///   - numbers: The groups.
    ///   - cause: The task that released a permit.
    private mutating func admit(of numbers: [Int], after cause: Task? = nil) {
        guard mayAdmit else { return }
        var admitted: [Held] = []
        for number in numbers {
            while groups[number]?.mayAdmit == true, let held = groups[number]?.held.popFirst() {
                // Other code started the task while it was held.
                guard held.task.admission.stage == .held else { continue }
                if isCounting { groups[number]?.admittedCount += 1 }
                admitted.append(held)
            }
            if groups[number]?.isIdle == true { groups[number] = nil }
        }
        for (_, task) in admitted.sorted(by: { $0.order < $1.order }) {
            task.admission.stage = .admitted
            if let cause { task.admission.causeID = cause.eventID }
            if let submission = task.submission { line.add(submission) }
        }
    }

    /// Whether the caller must empty the line, because no other thread does so.
    @inline(__always)
    mutating func claimLine() -> Bool { line.claim() }

    /// Takes the next task from the line, or ends the claim and returns nil.
    mutating func nextInLine() -> Task.Submission? { line.nextAction() }
}
