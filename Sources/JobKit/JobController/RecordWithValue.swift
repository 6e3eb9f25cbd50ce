/// A task whose value is delivered to a closure of its own.
// As of every record, the lock of the job's shell guards the variables; as long as the job has
// not ended, its deliverer alone uses the closure.
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
