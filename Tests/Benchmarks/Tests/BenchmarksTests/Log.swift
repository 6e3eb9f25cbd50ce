import Synchronization

/// What happened, in order; for tests that look at the order afterwards.
final class Log<Entry: Sendable>: Sendable {
    private let guarded = Mutex<[Entry]>([])

    /// The entries so far.
    var entries: [Entry] { guarded.withLock { $0 } }

    /// Adds an entry at the end.
    func append(_ entry: Entry) { guarded.withLock { $0.append(entry) } }
}
