/// What happens to a task when its job is cancelled, fails or finishes early.
public enum ChildCancellation: Sendable {
    /// The task is cancelled, and the job finishes only when it has stopped.
    case cancelAndWait
    /// The task is cancelled; the job does not wait for it.
    case cancelWithoutWaiting
    /// The task is not cancelled, and the job does not wait for it.
    case leaveRunning
}
