/// Some runs, and how many there are of each state.
public struct RunList: Sendable, Equatable {
    /// The runs that a filter lets through.
    public var runs: [RunRecord]
    /// How many runs the store has in each state, whatever the filter.
    public var totals: [RunState: Int]
}
