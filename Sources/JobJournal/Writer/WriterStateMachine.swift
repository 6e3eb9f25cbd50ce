/// Decides which thread writes, and what goes into one write.
///
/// One thread at a time has the turn. What is added meanwhile waits, and goes into its next write
/// together. After a failure nothing is written any more.
struct WriterStateMachine<Entry> {
    private(set) var hasTurn = false
    private(set) var waiting: [Entry] = []
    private(set) var stop: (any Error)?
    private(set) var isClosing = false

    /// Whether an entry that is added now is refused.
    var refusal: (any Error)? { stop }

    /// Takes the turn for one entry that need not wait; false if there is something to wait for.
    mutating func turnTaken() -> Bool {
        guard !hasTurn, stop == nil else { return false }
        hasTurn = true
        return true
    }

    /// Puts an entry behind the others.
    ///
    /// - Returns: Whether the caller has the turn now, and must see to it that all is written.
    mutating func entryAdded(_ entry: Entry) -> Bool {
        precondition(stop == nil, "an entry was added after the end")
        waiting.append(entry)
        defer { hasTurn = true }
        return !hasTurn
    }

    /// What the thread that has the turn writes next; empty: it has given the turn back.
    mutating func batchTaken() -> [Entry] {
        precondition(hasTurn, "a batch was taken without the turn")
        guard !waiting.isEmpty else {
            hasTurn = false
            return []
        }
        defer { waiting = [] }
        return waiting
    }

    /// A write has failed: all that waits fails with it, and whatever comes later.
    mutating func writeFailed(_ error: any Error) -> [Entry] {
        if stop == nil || isClosing { stop = error }
        defer { waiting = [] }
        return waiting
    }

    /// Nothing more is taken; what waits is still written.
    mutating func closed(_ error: any Error) {
        isClosing = true
        if stop == nil { stop = error }
    }
}
