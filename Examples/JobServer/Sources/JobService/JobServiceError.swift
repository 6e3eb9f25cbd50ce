import JobStore

/// The reason why code cannot submit, cancel or list runs.
public enum JobServiceError: Error, Equatable, Sendable {
    /// The server has ended, is stopping, or could not start.
    case notServing
    /// No run has this number.
    case unknownRun
    /// The run has ended.
    case ended
    /// The given other run has the key with other parameters.
    case keyInUse(Int64)
    /// The queue is full.
    case full
    /// The database is not usable at the moment, for the given reason.
    case storeFails(String)

    /// Creates the error for a failure that a client receives as a status.
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
