import Synchronization

/// Records events in order, for tests that check the order afterwards.
final class Log<Entry: Sendable>: Sendable {
    private let guarded = Mutex<[Entry]>([])

    /// The entries so far.
    var entries: [Entry] { guarded.withLock { $0 } }

    /// Appends an entry.
    func append(_ entry: Entry) { guarded.withLock { $0.append(entry) } }
}
