/// How an operation ended.
public enum OperationOutcome: Sendable {
    /// The work was done.
    case succeeded

    /// The work could not be done; the error says why.
    case failed(any Error)

    /// The work was cancelled before it was done.
    case cancelled
}
