/// Something that a job will hear of.
class JobMail: FinishSubscriber, @unchecked Sendable {  // the link belongs to the mailbox
    /// The next in the ``JobMailbox``, retained.
    var next: Unmanaged<JobMail>?

    /// The mail as a task's record, if it is one: asked several times for each task, where a cast
    /// would cost more than the rest of the question.
    var record: TaskRecord? { nil }

    /// Calls the job's code; only the job's deliverer calls this.
    func deliver(to job: JobController) {}
}

/// A closure whose ``ConcurrentOperation/perform(after:_:)`` delay has passed.
final class DelayedCallback: JobMail, @unchecked Sendable {  // a constant
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    override func deliver(to job: JobController) { body() }
}
