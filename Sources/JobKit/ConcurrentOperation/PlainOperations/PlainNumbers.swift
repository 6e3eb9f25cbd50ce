import Foundation

/// The event numbers of plain operations.
///
/// Each number is kept as long as its operation exists.
///
/// Nothing reports when an operation is freed. Therefore, the numbers of freed operations are
/// removed whenever there are twice as many numbers as after the last removal.
struct PlainNumbers {
    private struct Entry {
        weak var operation: Operation?
        let number: Int
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var compactionThreshold = Self.smallestThreshold

    private static let smallestThreshold = 64

    /// How many numbers are stored, including those of freed operations.
    var count: Int { entries.count }

    /// Returns the number, and true once if ``removeFreed()`` must be called.
    mutating func number(of operation: Operation) -> (number: Int, needsCompaction: Bool) {
        let id = ObjectIdentifier(operation)
        // An operation that was freed may have had the same address.
        if let entry = entries[id], entry.operation === operation { return (entry.number, false) }
        let number = ConcurrentOperation.nextNumber()
        entries[id] = Entry(operation: operation, number: number)
        guard entries.count > compactionThreshold else { return (number, false) }
        compactionThreshold = .max
        return (number, true)
    }

    /// Removes the numbers of freed operations.
    ///
    /// - Returns: The other operations, which the caller must release with no lock held.
    mutating func removeFreed() -> [Operation] {
        var kept: [Operation] = []
        entries = entries.filter { _, entry in
            guard let operation = entry.operation else { return false }
            kept.append(operation)
            return true
        }
        compactionThreshold = max(Self.smallestThreshold, 2 * entries.count)
        return kept
    }
}
