import Foundation

/// A second, simple implementation of an outbox's rules, for comparison with random programs.
struct OutboxOracle {
    enum Outcome {
        case succeeds
        case retries(after: Double?)
        case retriesUncharged(after: Double?)
        case parks
        case parksAside
        case drops
    }

    struct Entry {
        let id: Int
        var position: Int
        let key: String?
        let deduplicationID: String?
        let item: String
        let addedAt: Double
        var failures = 0
        var charged = 0
        var uncharged = 0
        var interruptions = 0
        var until: Double?
        var length: Double?
        var notBefore: Double?
        var isAfterInterruption = false
        /// Whether `retryNow()` has ended the delay of a failure in this session.
        var ignoresDelay = false
        var parked: Bool?
        var mayHaveBegun = false

        /// The end of the delay that follows a failure or an interruption.
        var delayEnd: Double? { ignoresDelay ? nil : until }

        func isDelayed(at now: Double) -> Bool {
            parked == nil && max(delayEnd ?? -.infinity, notBefore ?? -.infinity) > now
        }

        /// Whether the entry may begin if no other entry of its key is ahead.
        func mayBeginAlone(at now: Double) -> Bool { parked == nil && !isDelayed(at: now) }
    }

    /// By position.
    private(set) var entries: [Entry] = []
    private(set) var nextID = 1
    var now = 0.0

    /// Delays of 2 s, 4 s and so on, for at most three attempts.
    static func delay(after count: Int) -> Double? {
        count < 3 ? 2.0 * Double(1 << (count - 1)) : nil
    }

    /// Returns the result of an attempt.
    ///
    /// It depends only on the item and the number of earlier failures.
    static func outcome(of item: String, _ failures: Int) -> Outcome {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(item) \(failures)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        hash ^= hash >> 29
        return switch hash % 12 {
        case 0, 1: .retries(after: nil)
        case 2: .retries(after: 7)
        case 3: .retriesUncharged(after: nil)
        case 4: .retriesUncharged(after: 5)
        case 5: .parks
        case 6: .parksAside
        case 7: .drops
        default: .succeeds
        }
    }

    @discardableResult
    mutating func add(
        _ item: String,
        _ key: String?,
        _ deduplicationID: String?,
        policy: String,
        _ notBefore: Double?
    ) -> Int {
        let duplicates = entries.filter {
            deduplicationID != nil && $0.key == key && $0.deduplicationID == deduplicationID
        }
        if policy == "keep" || policy == "join",
            let last = duplicates.last(where: { $0.parked == nil })
        {
            return last.id
        }
        var entry = Entry(
            id: nextID,
            position: nextID,
            key: key,
            deduplicationID: deduplicationID,
            item: item,
            addedAt: now
        )
        entry.notBefore = notBefore
        nextID += 1
        if policy == "replace", let first = duplicates.first {
            entry.position = first.position
            for old in duplicates where old.parked == nil {
                if let until = old.delayEnd, until > now, !old.isAfterInterruption,
                    until > entry.until ?? 0
                {
                    (entry.until, entry.length) = (until, old.length)
                }
                guard old.failures > 0 else { continue }
                (entry.failures, entry.charged, entry.uncharged) =
                    (old.failures, old.charged, old.uncharged)
            }
            entries.removeAll { old in duplicates.contains { $0.id == old.id } }
        }
        entries.append(entry)
        entries.sort { $0.position < $1.position }
        return entry.id
    }

    mutating func remove(_ id: Int) -> Bool {
        let count = entries.count
        entries.removeAll { $0.id == id }
        return entries.count < count
    }

    mutating func remove(key: String?) { entries.removeAll { $0.key == key } }

    mutating func removeAll() { entries = [] }

    mutating func retryNow() {
        for at in entries.indices where entries[at].isDelayed(at: now) {
            if entries[at].until != nil { entries[at].ignoresDelay = true }
        }
    }

    /// Ends a session, so that delays count again that `retryNow()` has ended.
    mutating func sessionEnded() {
        for at in entries.indices { entries[at].ignoresDelay = false }
    }

    mutating func retry(_ id: Int) {
        guard let at = entries.firstIndex(where: { $0.id == id }) else { return }
        if entries[at].parked != nil {
            (entries[at].failures, entries[at].charged, entries[at].uncharged) = (0, 0, 0)
            entries[at].interruptions = 0
            entries[at].parked = nil
        } else if !entries[at].isDelayed(at: now) {
            return
        }
        (entries[at].until, entries[at].notBefore) = (nil, nil)
        entries[at].isAfterInterruption = false
        entries[at].ignoresDelay = false
    }

    /// Performs everything that may begin.
    ///
    /// - Returns: The items by key, in order.
    mutating func run() -> [String?: [String]] {
        var performed: [String?: [String]] = [:]
        while let at = entries.firstIndex(where: { mayBegin($0) }) {
            performed[entries[at].key, default: []].append(entries[at].item)
            perform(at)
        }
        return performed
    }

    private func mayBegin(_ entry: Entry) -> Bool {
        guard entry.mayBeginAlone(at: now) else { return false }
        guard let key = entry.key else { return true }
        return entries.first { $0.key == key && $0.parked != false }?.id == entry.id
    }

    private mutating func perform(_ at: Int) {
        var entry = entries[at]
        entry.mayHaveBegun = true
        entry.interruptions = 0
        entry.isAfterInterruption = false
        entry.ignoresDelay = false
        (entry.until, entry.notBefore) = (nil, nil)
        let outcome = Self.outcome(of: entry.item, entry.failures)
        entry.failures += 1
        var delay: Double??
        switch outcome {
        case .succeeds, .drops:
            entries.remove(at: at)
            return
        case .retries(let after):
            entry.charged += 1
            entry.uncharged = 0
            delay = .some(after ?? Self.delay(after: entry.charged))
        case .retriesUncharged(let after):
            entry.uncharged += 1
            delay = .some(after ?? Self.delay(after: entry.uncharged) ?? entry.length)
        case .parks, .parksAside:
            entry.charged += 1
            entry.uncharged = 0
            if case .parks = outcome { entry.parked = true } else { entry.parked = false }
        }
        if case .some(let delay) = delay {
            if let delay {
                (entry.until, entry.length) = (now + delay, delay)
            } else {
                entry.parked = true
            }
        }
        entries[at] = entry
    }

    /// Records that a session ended in the middle of an attempt for this entry.
    mutating func interrupted(_ id: Int) {
        guard let at = entries.firstIndex(where: { $0.id == id }) else { return }
        entries[at].mayHaveBegun = true
        entries[at].interruptions += 1
        let delay = Self.delay(after: entries[at].interruptions) ?? entries[at].length ?? 0
        (entries[at].until, entries[at].length) = (now + delay, delay)
        entries[at].notBefore = nil
        entries[at].isAfterInterruption = true
    }
}
