/// A list of runs, with the number of runs in each state.
public struct RunList: Sendable, Equatable {
    /// The runs that match a filter.
    public var runs: [RunRecord]
    /// The number of all runs in each state, regardless of the filter.
    public var totals: [RunState: Int]
}
