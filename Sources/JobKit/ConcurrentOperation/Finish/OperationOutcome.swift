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

/// The failure of an operation that ran longer than its ``ConcurrentOperation/maximumRuntime``.
public struct OperationTimeoutError: Error, Hashable {
    /// The maximum runtime that was overrun.
    public let limit: Duration

    /// Creates the error for an overrun of `limit`.
    public init(limit: Duration) {
        self.limit = limit
    }
}

/// The failure of a ``ResultOperation`` or ``ResultJob`` that finished without a value.
public struct MissingResultError: Error, Hashable {
    /// Creates the error.
    public init() {}
}

/// The failure of a ``CallbackOperation`` whose `done` was released without a call.
///
/// Nothing could have finished the operation any more. The work has a path that forgets to call
/// back.
public struct CallbackLostError: Error, Hashable, CustomStringConvertible {
    /// The operation's name, or its type's.
    public let name: String

    /// Creates the error for an operation of a name.
    public init(name: String) {
        self.name = name
    }

    /// Says which operation's callback was lost.
    public var description: String { "\(name) released `done` without calling it." }
}
