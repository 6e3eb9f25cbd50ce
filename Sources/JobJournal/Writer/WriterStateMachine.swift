/// Decides which thread writes, and which entries it writes together.
///
/// Only one thread at a time has the turn. Entries that are added while it writes wait, and are
/// written together next. After a failure, nothing is written.
struct WriterStateMachine<Entry> {
    private(set) var hasTurn = false
    private(set) var waiting: [Entry] = []
    private(set) var stop: (any Error)?
    private(set) var isClosing = false

    /// Whether an entry that is added now is refused.
    var refusal: (any Error)? { stop }

    /// Takes the turn for one entry.
    ///
    /// Returns false if the entry must wait.
    mutating func turnTaken() -> Bool {
        guard !hasTurn, stop == nil else { return false }
        hasTurn = true
        return true
    }

    /// Appends an entry to those that wait.
    ///
    /// - Returns: Whether the caller has the turn now, and must write all entries.
    mutating func entryAdded(_ entry: Entry) -> Bool {
        precondition(stop == nil, "an entry was added after the end")
        waiting.append(entry)
        defer { hasTurn = true }
        return !hasTurn
    }

    /// Takes the entries that the thread with the turn writes next.
    ///
    /// If there are none, the turn ends.
    mutating func batchTaken() -> [Entry] {
        precondition(hasTurn, "a batch was taken without the turn")
        guard !waiting.isEmpty else {
            hasTurn = false
            return []
        }
        defer { waiting = [] }
        return waiting
    }

    /// Records that a write has failed, and takes the entries that fail with it.
    ///
    /// These are all waiting entries. Later entries fail, too.
    mutating func writeFailed(_ error: any Error) -> [Entry] {
        if stop == nil || isClosing { stop = error }
        defer { waiting = [] }
        return waiting
    }

    /// Refuses all later entries.
    ///
    /// Waiting entries are still written.
    mutating func closed(_ error: any Error) {
        isClosing = true
        if stop == nil { stop = error }
    }
}
