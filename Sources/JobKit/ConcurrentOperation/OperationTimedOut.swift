/// The failure of an operation that ran longer than its ``ConcurrentOperation/maximumRuntime``.
public struct OperationTimedOut: Error {
    /// The maximum runtime that was overrun.
    public let limit: Duration

    /// Creates the error for an overrun of `limit`.
    public init(limit: Duration) {
        self.limit = limit
    }
}
