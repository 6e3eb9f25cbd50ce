/// The result of a submission.
public enum Addition: Sendable, Equatable {
    /// A new run was queued.
    case added(RunRecord)
    /// The key belongs to the given run with the same parameters.
    case known(RunRecord)
    /// The key belongs to the given run with other parameters.
    case keyInUse(RunRecord)

    /// The run.
    public var record: RunRecord {
        switch self {
        case .added(let record), .known(let record), .keyInUse(let record): record
        }
    }
}
