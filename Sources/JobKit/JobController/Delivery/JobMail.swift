import Synchronization

// A class that others derive from is never checked: the link is atomic, the rest constant.
/// Something that is delivered to a job: the finish of a task, or the end of a delay.
class JobMail: OperationListener, @unchecked Sendable {
    /// The next in the ``JobMailbox``, retained.
    final let next = Atomic<Unmanaged<JobMail>?>(nil)
    fileprivate let isTask: Bool

    init(isTask: Bool) {
        self.isTask = isTask
    }

    /// The mail as a task's record, or nil: read several times for each task, where a cast would
    /// cost more.
    final var record: TaskRecord? {
        isTask ? unsafeDowncast(self, to: TaskRecord.self) : nil
    }

    /// Calls the job's code; only the job's deliverer calls this.
    func deliver(to job: JobController) {}

    /// The job has ended, and mail that is no task's record is not delivered.
    func discard(from shell: JobShell) {}
}

extension Unmanaged<JobMail> {
    /// Calls `body` with the mail as a task's record, if it is one, without counting references.
    @inline(__always)
    func withRecord<Result>(_ body: (TaskRecord) -> Result) -> Result? {
        _withUnsafeGuaranteedRef { mail in
            mail.isTask ? body(unsafeDowncast(mail, to: TaskRecord.self)) : nil
        }
    }
}

// Unchecked because its superclass is: the body is a constant.
/// A closure whose ``ConcurrentOperation/perform(after:_:)`` delay has passed.
final class DelayedCallback: JobMail, @unchecked Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
        super.init(isTask: false)
    }

    override func deliver(to job: JobController) { body() }
}
