// The compiler does not check a class that has subclasses. The variable is that of the superclass.
/// A message to a job: the finish of a task, the end of a delay or the end of the job's work.
class JobMessage: OperationListener, @unchecked Sendable {
    /// The message as a task's record, or nil.
    ///
    /// Cheaper than a cast, because it is read several times for each task.
    final var record: TaskRecord? {
        isTask ? unsafeDowncast(self, to: TaskRecord.self) : nil
    }

    fileprivate let isTask: Bool

    init(isTask: Bool) {
        self.isTask = isTask
    }

    /// Calls the job's code, always on the job's delivering thread.
    func deliver(to job: JobController) {}

    /// Called when a job that is ending discards the message.
    func discard(from shell: JobShell) {}
}

extension Unmanaged<JobMessage> {
    /// Calls `body` with the message as a task's record, if it is one, without counting references.
    func withRecord<Result>(_ body: (TaskRecord) -> Result) -> Result? {
        _withUnsafeGuaranteedRef { message in
            message.isTask ? body(unsafeDowncast(message, to: TaskRecord.self)) : nil
        }
    }
}

// Unchecked because its superclass is. Its properties are constants.
/// A callback of a job that belongs to no task: a closure whose delay has passed, or the end of the
/// job's own work.
final class CallbackMessage: JobMessage, @unchecked Sendable {
    private let body: @Sendable () -> Void
    private let endsWork: Bool

    init(endsWork: Bool = false, _ body: @escaping @Sendable () -> Void) {
        (self.endsWork, self.body) = (endsWork, body)
        super.init(isTask: false)
    }

    override func deliver(to job: JobController) {
        discard(from: job.shell)
        body()
    }

    override func discard(from shell: JobShell) {
        guard endsWork else { return }
        // The Swift task is released here, with no lock held.
        let task = shell.send { $0.workEnded() }
        withExtendedLifetime(task) {}
    }
}
