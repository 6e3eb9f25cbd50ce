/// Which runs are listed, from the newest to the oldest.
public struct RunFilter: Sendable, Equatable {
    /// How many at most.
    public var limit: Int
    /// Only runs of lower numbers; nil for all.
    public var before: Int64?
    /// Only runs of these states; none named: of all.
    public var states: Set<RunState>
    /// Only runs of these kinds; none named: of all.
    public var kinds: Set<String>
    /// Only runs whose title contains this text, whatever its case and Unicode normalization.
    public var text: String?

    /// Makes a filter; unless told otherwise, of the newest 50 runs.
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
