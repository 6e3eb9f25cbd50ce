import Foundation

/// The way of a job's tasks into their queues; guarded by the job's lock.
///
/// ``AdmissionStateMachine`` decides when each goes. What it admits is lined up, and one thread at
/// a time puts it into the queues, so that the order holds although no lock is held meanwhile.
struct JobAdmission {
    /// Where one task stands on its way.
    struct Stage {
        fileprivate var value = Value.none
        /// The number in events of the task whose finish admitted this one; 0 for none.
        fileprivate(set) var causeID = 0

        fileprivate enum Value {
            case none
            /// Waits in the job for its start, for a place, or for the job to be resumed.
            case held
            /// Was put in its queue, or is about to be, and takes one of its group's places.
            case admitted
            /// Has left its queue.
            case left
            /// The task finished, or the job ended, before the task was put into its queue.
            case withdrawn
        }

        /// Whether the task takes one of its group's places.
        var takesPlace: Bool { value == .admitted }
        /// Whether the task waits in the job.
        var isHeld: Bool { value == .held }
        /// Whether the task was, or is about to be, put into its queue.
        var wasQueued: Bool { value == .admitted || value == .left }
    }

    /// A task on its way into its queue, which it reaches although the job may end meanwhile, and
    /// empty its record.
    struct Submission {
        let record: TaskRecord
        let task: Operation
        let queue: any OperationScheduling

        fileprivate init?(_ record: TaskRecord) {
            guard let task = record.task, let queue = record.queue else { return nil }
            self.record = record
            self.task = task
            self.queue = queue
        }
    }

    /// What became of a task that an ending job wants back.
    struct Withdrawal {
        let task: Operation?
        var wasQueued = false
        /// No queue will start the task, so that the caller has to.
        var mustStart = false
    }

    private var machine = AdmissionStateMachine<TaskRecord>()
    private var outbox = Outbox<Submission>()

    /// Whether the tasks of groups are counted, which the first width of one begins.
    var isCounting: Bool { machine.isCounting }

    /// How many tasks of a group may be in their queues at a time, and how many are.
    func places(of group: Int) -> (width: Int, taken: Int) { machine.places(of: group) }

    // MARK: Tasks

    /// Admits a task if nothing holds it back and nothing goes before it; changes nothing
    /// otherwise.
    @inline(__always)
    mutating func admitAtOnce(_ record: TaskRecord) -> Bool {
        guard machine.admitsAll, outbox.isIdle else { return false }
        record.admission.value = .admitted
        return true
    }

    /// Admits a task or holds it.
    ///
    /// - Returns: What the caller is to put into its queue; nil if the task is held, or has its
    ///   place in the line.
    mutating func submit(_ record: TaskRecord) -> Submission? {
        // The end of the job may have overtaken this call.
        guard record.admission.value == .none else { return nil }
        guard machine.taskSubmitted(record, group: record.group) else {
            record.admission.value = .held
            return nil
        }
        record.admission.value = .admitted
        guard let submission = Submission(record) else { return nil }
        guard !outbox.isIdle else { return submission }
        outbox.add(submission)
        return nil
    }

    /// The task has finished: it gives back its place in its group, or takes none any more.
    mutating func taskFinished(_ record: TaskRecord) {
        switch record.admission.value {
        case .admitted:
            record.admission.value = .left
            let admitted = machine.taskLeft(group: record.group)
            if !admitted.isEmpty, let causeID = record.task?.operationID {
                for other in admitted { other.admission.causeID = causeID }
            }
            admit(admitted)
        case .none, .held:
            record.admission.value = .withdrawn
        case .left, .withdrawn:
            break
        }
    }

    /// The job ends: decides whether the task was, or will be, put into its queue.
    ///
    /// From then on a task that is to be cancelled never gets there; one that is left to itself
    /// does.
    mutating func withdraw(_ record: TaskRecord, isLeft: Bool) -> Withdrawal {
        var withdrawal = Withdrawal(task: record.task)
        switch record.admission.value {
        case .admitted, .left:
            withdrawal.wasQueued = true
        case .none, .held:
            if !isLeft {
                record.admission.value = .withdrawn
                withdrawal.mustStart = record.queue != nil
            } else if record.queue != nil {
                admit([record])
            }
        case .withdrawn:
            break
        }
        return withdrawal
    }

    // MARK: The job

    mutating func jobStarted() { admit(machine.jobStarted()) }

    mutating func jobEnds() { _ = machine.removeAllHeld() }

    mutating func suspensionChanged(to isSuspended: Bool) {
        admit(machine.suspensionChanged(to: isSuspended))
    }

    /// Counts the tasks that are in their queues.
    ///
    /// - Parameters:
    ///   - records: All tasks.
    ///   - finished: Those that had finished when they were asked.
    mutating func beginCounting(_ records: [TaskRecord], finished: [TaskRecord]) {
        for record in finished where record.admission.value == .admitted {
            record.admission.value = .left
        }
        var counts: [Int: Int] = [:]
        for record in records where record.admission.value == .admitted {
            counts[record.group, default: 0] += 1
        }
        machine.countingBegan(with: counts)
    }

    mutating func widthChanged(to width: Int, group: Int) {
        admit(machine.widthChanged(to: width, group: group))
    }

    // MARK: The line

    /// Lines tasks up for the thread that puts them into their queues.
    private mutating func admit(_ records: [TaskRecord]) {
        var remaining = records
        while !remaining.isEmpty {
            let admitted = remaining
            remaining = []
            for record in admitted {
                if record.admission.value == .none || record.admission.value == .held {
                    record.admission.value = .admitted
                    if let submission = Submission(record) { outbox.add(submission) }
                } else {
                    // Other code ran it while it waited: its place is free again.
                    remaining += machine.taskLeft(group: record.group)
                }
            }
        }
    }

    /// Whether the caller has to put what is lined up into the queues; no other thread does then.
    @inline(__always)
    mutating func claimLine() -> Bool { outbox.claim() }

    /// The next task to put into its queue; nil ends the claim.
    mutating func nextInLine() -> Submission? { outbox.nextAction() }
}
