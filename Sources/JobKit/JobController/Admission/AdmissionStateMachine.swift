/// Decides when a task goes into its queue: in order, none before the job was started or while it
/// is suspended, and no more of a group at a time than its width.
///
/// Admitted tasks are lined up, and one thread at a time puts them into their queues, so that the
/// order holds although no lock is held meanwhile.
struct AdmissionStateMachine<Task: AdmittedTask> {
    private typealias Held = (order: Int, task: Task)

    private struct Group {
        var width = Int.max
        var admittedCount = 0
        var held = FIFO<Held>()

        var mayAdmit: Bool { admittedCount < width && !held.isEmpty }
        var isIdle: Bool { width == .max && admittedCount == 0 && held.isEmpty }

        /// Returns whether the task goes, and takes a place, now.
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
    /// Whether some group has, or had, a width: from the first one on the tasks are counted.
    private(set) var isCounting = false
    /// Those that have a width, hold something, or count something.
    private var groups: [Int: Group] = [:]
    private var nextOrder = 0
    private var line = Outbox<Task.Submission>()

    private var mayAdmit: Bool { isOpen && !isSuspended }
    private var admitsAll: Bool { mayAdmit && !isCounting }

    /// How many of a group may be admitted at a time, and how many are.
    func places(of group: Int) -> (width: Int, taken: Int) {
        groups[group].map { ($0.width, $0.admittedCount) } ?? (.max, 0)
    }

    // MARK: Tasks

    /// Admits a task if nothing holds it back and nothing goes before it; changes nothing
    /// otherwise.
    @inline(__always)
    mutating func admitAtOnce(_ task: Task) -> Bool {
        guard admitsAll, line.isIdle else { return false }
        task.admission.stage = .admitted
        return true
    }

    /// Admits a task or holds it.
    ///
    /// - Returns: What the caller is to put into its queue; nil if the task is held, or has its
    ///   place in the line.
    mutating func taskSubmitted(_ task: Task) -> Task.Submission? {
        // The end of the job may have overtaken this call.
        guard task.admission.stage == .none else { return nil }
        defer { nextOrder += 1 }
        // Mutates in place: even a temporary copy would copy the group's list.
        let goes =
            admitsAll
            || groups[task.group, default: Group()].admitOrHold((nextOrder, task), mayGo: mayAdmit)
        task.admission.stage = goes ? .admitted : .held
        guard goes, let submission = task.submission else { return nil }
        guard !line.isIdle else { return submission }
        line.add(submission)
        return nil
    }

    /// The task has finished: it gives back its place in its group, or takes none any more.
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

    /// What became of a task that an ending job wants back.
    struct Withdrawal {
        var wasQueued = false
        /// No queue will start the task, so that the caller has to.
        var mustStart = false
    }

    /// The job ends: decides whether the task was, or will be, put into its queue.
    ///
    /// From then on a task that is to be cancelled never gets there; one that is left to itself
    /// does.
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

    /// The job holds nothing any more.
    mutating func jobEnds() {
        for group in groups.keys { groups[group]?.held = FIFO() }
    }

    mutating func suspensionChanged(to isSuspended: Bool) {
        self.isSuspended = isSuspended
        admit(of: Array(groups.keys))
    }

    /// Counts the tasks that are in their queues, because the first width is to be set.
    ///
    /// - Parameters:
    ///   - tasks: All tasks.
    ///   - finished: Those that had finished when they were asked.
    mutating func countingBegan(_ tasks: [Task], finished: [Task]) {
        isCounting = true
        for task in finished where task.admission.stage == .admitted {
            task.admission.stage = .left
        }
        for task in tasks where task.admission.stage == .admitted {
            groups[task.group, default: Group()].admittedCount += 1
        }
    }

    /// The width of a group was set; before the first one comes ``countingBegan(_:finished:)``.
    mutating func widthChanged(to width: Int, group: Int) {
        precondition(isCounting, "widthChanged() before countingBegan()")
        groups[group, default: Group()].width = width
        admit(of: [group])
    }

    // MARK: The line

    /// Lines up what may go of some groups, in the order in which it was submitted.
    ///
    /// - Parameters:
    ///   - numbers: The groups.
    ///   - cause: The task that gave back a place.
    private mutating func admit(of numbers: [Int], after cause: Task? = nil) {
        guard mayAdmit else { return }
        var admitted: [Held] = []
        for number in numbers {
            while groups[number]?.mayAdmit == true, let held = groups[number]?.held.popFirst() {
                // Other code ran it while it waited.
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

    /// Whether the caller has to put what is lined up into the queues; no other thread does then.
    @inline(__always)
    mutating func claimLine() -> Bool { line.claim() }

    /// The next to put into its queue; nil ends the claim.
    mutating func nextInLine() -> Task.Submission? { line.nextAction() }
}
