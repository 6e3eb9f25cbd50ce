import Foundation

// Unchecked because its superclass is. The lock of the job's shell guards its variables, and the
// operation's lock guards the variable of ``OperationListener``.
/// A task that a job tracks, from its tracking to its delivery.
///
/// The record and the task retain each other. Delivering the task, or ending the job, breaks the
/// cycle.
final class TaskRecord: JobMessage, @unchecked Sendable {
    // Small properties are stored together, because memory is the cost of a waiting task.
    let isConcurrent: Bool
    /// Whether the job waits for the task: it is not being delivered, and was not left.
    private(set) var isAwaited = true
    /// Whether the ending job leaves the task running.
    private(set) var isLeft = false
    /// The number of the newest observer that was notified that the task is tracked.
    var notifiedNumber: Int32 = 0
    let shell: JobShell
    /// The number of the task's group in the job.
    private(set) var group = 0
    let terms: TaskTerms
    /// The run of the job's code in which the task was tracked.
    private(set) var generation: ProgressTally.Generation = 0
    /// Nil once the task was delivered, or the job has ended.
    private(set) var task: Operation?
    /// Called instead of `taskFinished(_:)`.
    ///
    /// Until the job has ended, only its delivering thread uses this. Afterwards, the lock of the
    /// job's shell guards it.
    private var completion: TaskCompletion<Operation>

    /// The queue that the task enters once the job lets it, or nil if it is only tracked.
    private(set) var queue: (any OperationScheduling)?
    var submission = TaskSubmission()
    var notifications = TaskNotificationState()

    /// When the task was started, if the job was observed then.
    var startTime = EventTime.unknown

    /// The fraction of its weight that the task has reported as done.
    private(set) var fraction = 0.0

    /// The links to the neighbors in ``JobTasks``.
    var links = JobTasks.Links()

    @inline(__always)
    init(
        _ task: Operation,
        shell: JobShell,
        terms: TaskTerms,
        queue: (any OperationScheduling)?,
        completion: TaskCompletion<Operation> = TaskCompletion()
    ) {
        self.task = task
        self.completion = completion
        self.shell = shell
        self.terms = terms
        self.queue = queue
        isConcurrent = task is ConcurrentOperation
        super.init(isTask: true)
    }

    /// The task, if it is a ``ConcurrentOperation``.
    ///
    /// Like `task`, read under the job's lock, or while the record certainly holds the task.
    var concurrentTask: ConcurrentOperation? {
        isConcurrent ? task.map { unsafeDowncast($0, to: ConcurrentOperation.self) } : nil
    }

    /// The task, if it is a job.
    ///
    /// Read before the task is tracked, or under the job's lock.
    var nestedJob: JobController? { concurrentTask?.selfAsJob }

    /// ``concurrentTask`` without a retain, because each delivery reads it several times.
    ///
    /// Valid while the record holds the task.
    var unretainedTask: Unmanaged<ConcurrentOperation>? {
        isConcurrent
            ? task.map { .passUnretained(unsafeDowncast($0, to: ConcurrentOperation.self)) } : nil
    }

    override func deliver(to job: JobController) {
        guard let task else { return }
        if let body = completion.body { body(task) } else { job.taskFinished(task) }
    }

    /// Releases the closure of a delivered task, always on the job's delivering thread.
    func releaseCompletion() { completion.body = nil }

    /// Removes a closure that will not be called, and that the caller must release with no lock
    /// held.
    func takeCompletion() -> ((Operation) -> Void)? { completion.body.take() }

    // MARK: Under the lock of the job

    @inline(__always)
    func joins(group number: Int, in generation: ProgressTally.Generation) {
        group = number
        self.generation = generation
    }

    @inline(__always)
    func stopWaiting() { isAwaited = false }

    func leave() { isLeft = true }

    func advance(to fraction: Double) { self.fraction = fraction }

    /// The contents of a record, which must be released with no lock held.
    typealias Released = (task: Operation?, queue: (any OperationScheduling)?)

    /// Removes the task and the queue.
    @inline(__always)
    func empty() -> Released {
        (task.take(), queue.take())
    }

    /// The error of the task, or nil if it has not failed.
    var failure: (any Error)? {
        unretainedTask?._withUnsafeGuaranteedRef { $0.error }
    }

    /// The records of the jobs that track an operation and still listen for its finish.
    static func tracking(_ operation: Operation) -> [TaskRecord] {
        operation.listeners.compactMap { $0 as? TaskRecord }
    }

    // MARK: For the operation

    override var context: OperationContext? { shell.context }

    override var waitingJob: ConcurrentOperation? { shell.startedJob }

    override var knownJob: ConcurrentOperation? { shell.ask { $0.job } }

    override func operationStarts() {
        if shell.features.contains(.observed) { notify(.started) }
    }

    override func operationFinished(hasFailed: Bool) {
        shell.taskFinished(self, hasFailed: hasFailed)
    }

    // The record forwards to its job's shell, although the frame could hold the shell itself. A
    // frame retains the object that it delivers to, so all threads that finish tasks of one job
    // would change the reference count of one shell. The count of a record stays in the cache of
    // the thread that finishes its task.
    override func claimDelivery() -> Bool { shell.claimDelivery() }

    override func deliverClaimed() -> (any CallbackDelivery)? { shell.deliverClaimed() }

    override func deliverClaimedElsewhere() { shell.deliverClaimedElsewhere() }
}

/// The terms on which a job tracks a task.
struct TaskTerms: Sendable {
    /// The task's share of the job's progress, at least 0.
    var weight: Int64 = 1
    var cancellation = TaskCancellation.cancelAndWait
    /// The job's response to a failure of the task, or nil to call the job's
    /// `taskFailed(_:error:)`.
    var failure: FailureResponse?
}
