/// How a ``ConcurrentOperation`` ended.
public enum OperationOutcome: Sendable {
    /// The work was done.
    case succeeded
    /// The work failed, for this reason.
    case failed(any Error)
    /// The operation was cancelled before it finished, or finished with a `CancellationError`.
    case cancelled
}

extension OperationOutcome: CustomStringConvertible {
    /// One word, without the error: `succeeded`, `failed` or `cancelled`.
    public var description: String {
        switch self {
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }
}
