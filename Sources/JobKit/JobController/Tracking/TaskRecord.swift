import Foundation
import Synchronization

// Unchecked because its superclass is: the lock of the job's shell guards its variables, and the
// operation's lock the one of ``OperationListener``.
/// One task that a job tracks, from the tracking to the delivery.
///
/// The record holds the task and the task its record; delivering the task, or ending the job,
/// breaks the cycle.
final class TaskRecord: JobMail, @unchecked Sendable {
    // What is small stands together, because memory is what a task that waits costs.
    let isConcurrent: Bool
    /// Whether the job waits for the task: it is not being delivered, and was not left to itself.
    private(set) var isAwaited = true
    /// How many of the job's observers know that the task is tracked.
    private(set) var awareObservers: Int32 = 0
    let shell: JobShell
    /// The number of the task's group in the job.
    private(set) var group = 0
    let terms: TaskTerms
    /// The stretch of the job's code in which the task was tracked.
    private(set) var stretch: ProgressTally.Stretch = 0
    /// Nil once the task was delivered, or the job has ended.
    private(set) var task: Operation?
    /// Called in place of `taskFinished(_:)`.
    ///
    /// Until the job has ended, its deliverer alone uses it; then the lock of the job's shell
    /// guards it.
    private var completion: TaskCompletion<Operation>

    /// Where the task is put when its turn comes; nil if it is only tracked.
    private(set) var queue: (any OperationScheduling)?
    var admission = TaskAdmission()
    /// See ``NotificationState``.
    private let notificationState = Atomic<NotificationState.RawValue>(0)

    /// When the task was started, if the job was observed then.
    private(set) var startTime = EventTime.unknown

    /// How much of its weight the task says it has done.
    private(set) var fraction = 0.0

    /// The neighbours in the ``TaskList``.
    var links = TaskList.Links()

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
    var concurrentTask: ConcurrentOperation? {
        isConcurrent ? task.map { unsafeDowncast($0, to: ConcurrentOperation.self) } : nil
    }

    /// The task, if it is a job.
    var nestedJob: JobController? { concurrentTask?.asJob }

    /// ``concurrentTask`` without a retain, valid while the record holds the task: each delivery
    /// reads it several times.
    var unretainedTask: Unmanaged<ConcurrentOperation>? {
        isConcurrent
            ? task.map { .passUnretained(unsafeDowncast($0, to: ConcurrentOperation.self)) } : nil
    }

    override func deliver(to job: JobController) {
        guard let task else { return }
        if let body = completion.body { body(task) } else { job.taskFinished(task) }
    }

    /// Releases the closure of a task that was delivered; the job's deliverer calls this.
    func releaseCompletion() { completion.body = nil }

    /// Takes out a closure that will not be called, which the caller releases with no lock held.
    func takeCompletion() -> ((Operation) -> Void)? { completion.body.take() }

    // MARK: Under the lock of the job

    @inline(__always)
    func joins(group number: Int, in stretch: ProgressTally.Stretch) {
        group = number
        self.stretch = stretch
    }

    @inline(__always)
    func stopWaiting() { isAwaited = false }

    func advance(to fraction: Double) { self.fraction = fraction }

    /// What a record owned, to be released with no lock held.
    typealias Released = (task: Operation?, queue: (any OperationScheduling)?)

    /// Takes out what the record owns.
    @inline(__always)
    func empty() -> Released {
        (task.take(), queue.take())
    }

    // MARK: Observers

    /// The task is tracked, and so many observers are being notified.
    func trackingIsNotified(to observers: Int) {
        notificationState.store(NotificationState.begun.rawValue, ordering: .relaxed)
        awareObservers = Int32(observers)
    }

    /// So many observers are being notified of an event, and of the tracking where they do not know
    /// it.
    func eventIsNotified(to observers: Int, startTime: EventTime?) {
        awareObservers = Int32(observers)
        if let startTime { self.startTime = startTime }
    }

    /// So many of the observers that knew the task have left.
    func observersLeft(_ count: Int) { awareObservers -= Int32(count) }

    /// Whether observers were notified of the task's end, or are being notified.
    var endIsNotified: Bool {
        NotificationState(rawValue: notificationState.load(ordering: .acquiring)).endIsNotified
    }

    /// Changes the state of the notifications.
    func change<Result>(_ change: (inout NotificationState) -> Result) -> Result {
        var current = notificationState.load(ordering: .acquiring)
        while true {
            var changed = NotificationState(rawValue: current)
            let result = change(&changed)
            let (exchanged, original) = notificationState.weakCompareExchange(
                expected: current,
                desired: changed.rawValue,
                ordering: .acquiringAndReleasing
            )
            if exchanged { return result }
            current = original
        }
    }

    /// Why the task failed, if it did.
    var failure: (any Error)? {
        unretainedTask?._withUnsafeGuaranteedRef { $0.error }
    }

    /// The records of the jobs that track an operation and still listen for its finish.
    static func tracking(_ operation: Operation) -> [TaskRecord] {
        operation.listeners.compactMap { $0 as? TaskRecord }
    }

    // MARK: For the operation

    override var context: OperationContext? { shell.context }

    override func operationStarts() {
        if shell.features.contains(.observed) { TaskNotifier(self).taskStarted() }
    }

    override func operationFinished(hasFailed: Bool) {
        shell.taskFinished(self, hasFailed: hasFailed)
    }

    // The record forwards to its job's shell, although the shell could stand in a frame itself: a
    // frame retains what it delivers to, and all threads that finish tasks of one job would change
    // the count of that one shell. A record's count stays in the cache of the thread that ends it.
    override func claimDelivery(by worker: DeliveringWorker?) -> Bool {
        shell.claimDelivery(by: worker)
    }

    override func deliverClaimed(by worker: DeliveringWorker?) -> (any CallbackDelivery)? {
        shell.deliverClaimed(by: worker)
    }

    override func deliverClaimedElsewhere() { shell.deliverClaimedElsewhere() }
}

/// On which terms a job tracks a task.
struct TaskTerms: Sendable {
    /// The task's share of the job's progress, from 0.
    var weight: Int64 = 1
    var cancellation = TaskCancellation.cancelAndWait
    /// What a failure of the task means to the job; nil: the job is asked.
    var failure: FailureResponse?
}
