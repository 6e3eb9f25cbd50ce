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

    /// Returns the nearest job above an entry that is in the queue, or nil.
    func jobInQueue(above index: Int) -> Int? {
        var job = entries[index].parent
        while let next = job, entries[next].state == .absent { job = entries[next].parent }
        return job.flatMap { entries[$0].state == .ended ? nil : $0 }
    }

    private func jobs(above index: Int) -> [Int] {
        Array(
            sequence(state: index) { job in
                guard let next = jobInQueue(above: job) else { return nil as Int? }
                job = next
                return next
            }
        )
    }

    private func nextIndex() -> Int? {
        let waiting = entries.indices.filter { entries[$0].state == .waiting }
            .sorted { order($0) < order($1) }
        var waitForKeys: [Int] = []
        for index in waiting {
            let hasKeys = entries[index].keys
                .allSatisfy { key in
                    lender(of: key, for: index) != nil
                        || isFree(key)
                            && !waitForKeys.contains { other in
                                entries[other].keys.contains(key) && !isExempt(index, from: other)
                            }
                }
            guard hasKeys else {
                waitForKeys.append(index)
                continue
            }
            if isFree(Self.place) || lender(of: Self.place, for: index) != nil { return index }
        }
        return nil
    }

    private func order(_ index: Int) -> TaskQueueOrder {
        TaskQueueOrder(priority: entries[index].priority.rawValue, sequence: entries[index].number)
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

    /// Whether the other entry waits for a key that a job above this entry holds.
    private func isExempt(_ index: Int, from other: Int) -> Bool {
        entries[other].keys
            .contains { key in
                !isFree(key) && lender(of: key, for: other) == nil
                    && jobs(above: index).contains { entries[$0].lenders[key] != nil }
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
