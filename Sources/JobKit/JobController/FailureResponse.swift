/// What a job does about a failed task.
public enum FailureResponse: Sendable {
    /// The job's error becomes the task's; the rest is cancelled and waited for.
    case failJob
    /// The task is delivered as any finished task.
    case carryOn
}
