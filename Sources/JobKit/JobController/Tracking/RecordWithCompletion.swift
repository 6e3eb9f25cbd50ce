import Foundation

/// A task that may be delivered to a closure of its own.
///
/// A class for each type of task, because to wrap the closure in one that takes any operation would
/// allocate once more for each task.
// Unchecked because its superclass is. Until the job has ended, its deliverer alone uses the
// closure; then the lock of the job's shell guards it.
final class RecordWithCompletion<Child: Operation>: TaskRecord, @unchecked Sendable {
    /// Set before the task is tracked.
    var completion: ((Child) -> Void)?

    override func deliver(to job: JobController) {
        guard let task, let completion else { return super.deliver(to: job) }
        completion(unsafeDowncast(task, to: Child.self))
    }

    override func releaseCompletion() { completion = nil }

    override func takeCompletion() -> Any? { completion.take() }
}
