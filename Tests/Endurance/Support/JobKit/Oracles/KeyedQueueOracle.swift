@testable import JobKit

/// A literal implementation of X1 to X4 for a keyed queue.
///
/// It checks all waiting entries each time.
struct KeyedQueueOracle {
    enum State { case absent, waiting, passedOn, ended }

    struct Entry {
        let keys: Set<String>
        /// The job that tracks the entry.
        let parent: Int?
        var state = State.absent
        var priority = OperationPriority.normal
        var number = 0
        /// The lenders of the permits in use by key, or nil for the queue's own permits.
        ///
        /// The empty key is the queue's permit to execute.
        var lenders: [String: Int?] = [:]
    }

    static let place = ""

    let limit: Int
    let limitPerKey: Int
    private(set) var entries: [Entry]
    private var lastNumber = 0

    init(limit: Int, limitPerKey: Int, _ entries: [Entry]) {
        self.limit = limit
        self.limitPerKey = limitPerKey
        self.entries = entries
    }

    mutating func added(_ index: Int) {
        lastNumber += 1
        entries[index].state = .waiting
        entries[index].number = lastNumber
    }

    mutating func raised(_ index: Int) { entries[index].priority = .high }

    /// Transfers the permits that the entry has lent to their user.
    mutating func ended(_ index: Int) {
        for (key, lender) in entries[index].lenders {
            for other in entries.indices where entries[other].lenders[key] == .some(index) {
                entries[other].lenders[key] = lender
            }
        }
        entries[index].lenders = [:]
        entries[index].state = .ended
    }

    /// Starts all entries that may start, and returns them in order.
    mutating func passOn() -> [Int] {
        var passed: [Int] = []
        while let next = nextIndex() {
            for key in entries[next].keys.union([Self.place]) {
                entries[next].lenders[key] = .some(lender(of: key, for: next))
            }
            entries[next].state = .passedOn
            passed.append(next)
        }
        return passed
    }

    /// Returns the jobs above an entry that are in the queue, nearest first.
    ///
    /// A job that has ended has left its tasks, so the jobs above it do not count.
    func jobs(above index: Int) -> [Int] {
        sequence(first: index) { entries[$0].parent }.dropFirst()
            .prefix { entries[$0].state != .ended }
            .filter { entries[$0].state != .absent }
    }

    private func nextIndex() -> Int? {
        let waiting = entries.indices.filter { entries[$0].state == .waiting }
            .sorted { order($0) < order($1) }
        // The entries that wait for keys, each with all holders for which it must wait.
        var waitForKeys: [(index: Int, holders: Set<Int>)] = []
        for index in waiting {
            let lacking = entries[index].keys.filter { lender(of: $0, for: index) == nil }
            let held = lacking.filter { !isFree($0) }
            // For a key that is free, it waits behind the first that waits for keys.
            let first = lacking.subtracting(held)
                .compactMap { key in waitForKeys.first { entries[$0.index].keys.contains(key) } }
            let jobs = jobs(above: index)
            guard held.isEmpty, first.allSatisfy({ !$0.holders.isDisjoint(with: jobs) }) else {
                let holders = entries.indices
                    .filter { other in held.contains { entries[other].lenders[$0] != nil } }
                waitForKeys.append(
                    (index, first.reduce(into: Set(holders)) { $0.formUnion($1.holders) })
                )
                continue
            }
            if isFree(Self.place) || lender(of: Self.place, for: index) != nil { return index }
        }
        return nil
    }

    private func order(_ index: Int) -> (priority: Int, sequence: Int) {
        (entries[index].priority.rawValue, entries[index].number)
    }

    private func isFree(_ key: String) -> Bool {
        let taken = entries.count { $0.lenders[key] == .some(nil) }
        return taken < (key == Self.place ? limit : limitPerKey)
    }

    private func lender(of key: String, for index: Int) -> Int? {
        jobs(above: index)
            .first { job in
                entries[job].lenders[key] != nil
                    && !entries.contains { $0.lenders[key] == .some(job) }
            }
    }

    /// X1: the number of permits in use beyond the limit of each key, without lent permits.
    var excess: Int {
        (["a", "b", Self.place])
            .reduce(0) { sum, key in
                let taken = entries.count { $0.lenders[key] == .some(nil) }
                return sum + max(0, taken - (key == Self.place ? limit : limitPerKey))
            }
    }
}
