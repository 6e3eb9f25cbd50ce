/// A task whose value is delivered to a closure of its own.
// Unchecked because its superclass is. Until the job has ended, its deliverer alone uses the
// closure; then the lock of the job's shell guards it.
final class RecordWithValue<Child: ValueProducing>: TaskRecord, @unchecked Sendable {
    private var onSuccess: ((Child.Success) -> Void)?

    init(
        _ task: Child,
        shell: JobShell,
        terms: TaskTerms,
        queue: (any OperationScheduling)?,
        onSuccess: @escaping (Child.Success) -> Void
    ) {
        self.onSuccess = onSuccess
        super.init(task, shell: shell, terms: terms, queue: queue)
    }

    override func deliver(to job: JobController) {
        guard let task, let onSuccess else { return }
        if case .success(let value) = unsafeDowncast(task, to: Child.self).result {
            onSuccess(value)
        } else {
            job.taskFinished(task)
        }
    }

    override func releaseCompletion() { onSuccess = nil }

    override func takeCompletion() -> Any? { onSuccess.take() }
}
