import Foundation

/// A task that may be delivered to a closure of its own.
///
/// A class for each type of task, because to wrap the closure in one that takes any operation would
/// allocate once more for each task.
// Unchecked because its superclass is. Until the job has ended, its deliverer alone uses the
// closure; then the lock of the job's shell guards it.
final class RecordWithCompletion<Child: Operation>: TaskRecord, @unchecked Sendable {
    private var completion: ((Child) -> Void)?

    // Inlined: two calls for each task would cost a hundredth of a fan-out.
    @inline(__always)
    init(
        _ task: Child,
        shell: JobShell,
        terms: TaskTerms,
        queue: (any OperationScheduling)?,
        completion: ((Child) -> Void)?
    ) {
        self.completion = completion
        super.init(task, shell: shell, terms: terms, queue: queue)
    }

    override func deliver(to job: JobController) {
        guard let task, let completion else { return super.deliver(to: job) }
        completion(unsafeDowncast(task, to: Child.self))
    }

    override func releaseCompletion() { completion = nil }

    override func takeCompletion() -> Any? { completion.take() }
}
