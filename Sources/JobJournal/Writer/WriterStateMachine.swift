/// Decides which thread writes, and what goes into one write.
///
/// One thread at a time has the turn. Entries that are added in the meantime wait, and go into its
/// next write together. After a failure, nothing is written any longer.
struct WriterStateMachine<Entry> {
    private(set) var hasTurn = false
    private(set) var waiting: [Entry] = []
    private(set) var stop: (any Error)?
    private(set) var isClosing = false

    /// Whether an entry that is added now is refused.
    var refusal: (any Error)? { stop }

    /// Takes the turn for one entry.
    ///
    /// False if it must wait.
    mutating func turnTaken() -> Bool {
        guard !hasTurn, stop == nil else { return false }
        hasTurn = true
        return true
    }

    /// Puts an entry behind the others.
    ///
    /// - Returns: Whether the caller has the turn now, and must write all entries.
    mutating func entryAdded(_ entry: Entry) -> Bool {
        precondition(stop == nil, "an entry was added after the end")
        waiting.append(entry)
        defer { hasTurn = true }
        return !hasTurn
    }

    /// The entries that the thread with the turn writes next.
    ///
    /// If empty, it has given the turn back.
    mutating func batchTaken() -> [Entry] {
        precondition(hasTurn, "a batch was taken without the turn")
        guard !waiting.isEmpty else {
            hasTurn = false
            return []
        }
        defer { waiting = [] }
        return waiting
    }

    /// A write has failed.
    ///
    /// All waiting and later entries fail with it.
    mutating func writeFailed(_ error: any Error) -> [Entry] {
        if stop == nil || isClosing { stop = error }
        defer { waiting = [] }
        return waiting
    }

    /// No entry is taken any longer.
    ///
    /// Waiting entries are still written.
    mutating func closed(_ error: any Error) {
        isClosing = true
        if stop == nil { stop = error }
    }
}
