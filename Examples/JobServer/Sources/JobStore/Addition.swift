/// What became of a submission.
public enum Addition: Sendable, Equatable {
    /// A new run was queued.
    case added(RunRecord)
    /// The key belongs to a run with the same parameters, which is this one.
    case known(RunRecord)
    /// The key belongs to a run with other parameters, which is this one.
    case keyInUse(RunRecord)

    /// The run.
    public var record: RunRecord {
        switch self {
        case .added(let record), .known(let record), .keyInUse(let record): record
        }
    }
}
