/// What a start found in the database.
public struct Recovery: Sendable, Equatable {
    /// The runs that wait for their start, in order, those that run again included.
    public var queued: [RunRecord] = []
    /// The runs that were running when the server before this one ended.
    public var interruptedIDs: [Int64] = []
    /// The new runs that repeat some of them.
    public var resumedIDs: [Int64] = []
    /// The interrupted runs that are not repeated, since too many of their starts ended so.
    public var wornOutIDs: [Int64] = []
}
