/// On which terms a job tracks a task.
struct TaskTerms: Sendable {
    /// The task's share of the job's progress, from 0.
    var weight: Int64 = 1
    var cancellation = ChildCancellation.cancelAndWait
    /// What a failure of the task means to the job; nil: the job is asked.
    var failure: FailureResponse?
}
