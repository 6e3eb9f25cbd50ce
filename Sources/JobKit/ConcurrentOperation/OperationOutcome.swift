/// How a ``ConcurrentOperation`` ended.
public enum OperationOutcome: Sendable {
    /// The work was done.
    case succeeded
    /// The work could not be done, for this reason.
    case failed(any Error)
    /// The operation was cancelled before it finished, or finished with a `CancellationError`.
    case cancelled
}
