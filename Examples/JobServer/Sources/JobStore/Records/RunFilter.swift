/// Selects the runs of a list, newest first.
public struct RunFilter: Sendable, Equatable {
    /// The highest number of runs.
    public var limit: Int
    /// Only runs with lower numbers, or nil for all.
    public var before: Int64?
    /// Only runs in these states, or all if empty.
    public var states: Set<RunState>
    /// Only runs of these kinds, or all if empty.
    public var kinds: Set<String>
    /// Only runs with this text in their title, ignoring case and Unicode normalization.
    public var text: String?

    /// Creates a filter.
    ///
    /// By default, it selects the newest 50 runs.
    public init(
        limit: Int = 50,
        before: Int64? = nil,
        states: Set<RunState> = [],
        kinds: Set<String> = [],
        text: String? = nil
    ) {
        self.limit = limit
        self.before = before
        self.states = states
        self.kinds = kinds
        self.text = text
    }
}
