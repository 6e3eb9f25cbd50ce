/// How a ``ConcurrentOperation`` ended.
public enum OperationOutcome: Sendable {
    /// The work was done.
    case succeeded
    /// The work failed, for the given reason.
    case failed(any Error)
    /// The operation was cancelled before it finished, or finished with a `CancellationError`.
    case cancelled

    /// Whether the work was done.
    public var isSuccess: Bool {
        if case .succeeded = self { true } else { false }
    }

    /// Why the work failed, or nil if it did not fail.
    public var error: (any Error)? {
        if case .failed(let error) = self { error } else { nil }
    }
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
