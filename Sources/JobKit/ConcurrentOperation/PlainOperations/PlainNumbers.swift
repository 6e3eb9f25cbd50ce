import Foundation

/// The numbers in events of plain operations, each as long as the operation lives.
///
/// Nothing tells when an operation is freed. So the numbers of freed ones are removed whenever
/// there are twice as many numbers as after the last removal.
struct PlainNumbers {
    private struct Entry {
        weak var operation: Operation?
        let number: Int
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var crowd = Self.smallestCrowd

    private static let smallestCrowd = 64

    /// How many numbers are kept, of operations that were freed too.
    var count: Int { entries.count }

    /// Returns the number, and whether ``removeFreed()`` is due, which is said once.
    mutating func number(of operation: Operation) -> (number: Int, isCrowded: Bool) {
        let id = ObjectIdentifier(operation)
        // Another operation may have had the address before.
        if let entry = entries[id], entry.operation === operation { return (entry.number, false) }
        let number = OperationNumber.next()
        entries[id] = Entry(operation: operation, number: number)
        guard entries.count > crowd else { return (number, false) }
        crowd = .max
        return (number, true)
    }

    /// Forgets operations that were freed; returns the others, which the caller releases with no
    /// lock held.
    mutating func removeFreed() -> [Operation] {
        var kept: [Operation] = []
        entries = entries.filter { _, entry in
            guard let operation = entry.operation else { return false }
            kept.append(operation)
            return true
        }
        crowd = max(Self.smallestCrowd, 2 * entries.count)
        return kept
    }
}
