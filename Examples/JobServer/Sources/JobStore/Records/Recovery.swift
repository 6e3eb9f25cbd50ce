/// The runs that a server has found in the database at its start.
public struct Recovery: Sendable, Equatable {
    /// The queued runs in order, including those that run again.
    public var queued: [RunRecord] = []
    /// The runs that were running when the last session of the server ended.
    public var interruptedIDs: [Int64] = []
    /// The new runs that repeat some of them.
    public var resumedIDs: [Int64] = []
    /// The interrupted runs that are not repeated, because too many of their starts ended this way.
    public var wornOutIDs: [Int64] = []
    /// The starts that a person has paused.
    package var pauses = StartPauses()
}
