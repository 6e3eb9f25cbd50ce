import JobStore

/// Why code cannot submit, cancel or list runs.
public enum JobServiceError: Error, Equatable, Sendable {
    /// The server has ended, is stopping, or could not start.
    case notServing
    /// No run has the number.
    case unknownRun
    /// The run has ended.
    case ended
    /// Another run, which this is, has the key with other parameters.
    case keyInUse(Int64)
    /// The queue is full.
    case full
    /// The database cannot be used now, for this reason.
    case storeFails(String)

    /// What a client is told by a status.
    init?(_ error: any Error) {
        switch error {
        case let problem as RunProblem:
            switch problem {
            case .unknownRun: self = .unknownRun
            case .ended, .notEnded, .notQueued, .followed: self = .ended
            case .keyInUse(let id): self = .keyInUse(id)
            case .full: self = .full
            case .stopping: self = .notServing
            }
        case let failure as StoreFailed: self = .storeFails(failure.reason)
        default: return nil
        }
    }
}
