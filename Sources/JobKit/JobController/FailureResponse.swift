/// What a job does about a failed task.
public enum FailureResponse: Sendable {
    /// The job fails with the task's error, cancels its other tasks and waits for them.
    case failJob
    /// The task is delivered like any finished task.
    case carryOn
}
