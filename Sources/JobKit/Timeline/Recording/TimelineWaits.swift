/// Finds the operations that each operation of a timeline waited for.
///
/// These are its dependencies, and operations that returned a permit of its queue, or a thread,
/// when nothing else prevented it from starting.
struct TimelineWaits {
    struct Record {
        let tracked: EventTime
        let start: EventTime
        /// Nil if the operation has not finished.
        let end: EventTime?
        let parent: Int?
        /// Its dependencies, the operation that tracked it, and the one that returned a permit of
        /// its group.
        let predecessors: [Int]
        /// The queue with a concurrency limit in which it ran, or 0.
        let queueID: Int
        /// The operation that ended last on the thread that started it.
        let threadCause: Int?
    }

    /// The operations that had to finish before each record could start.
    ///
    /// They are indices among the records.
    private(set) var predecessors: [[Int]]

    /// The finished records of each queue, by end.
    private let ended: [Int: [(end: EventTime, index: Int)]]

    init(_ records: [Record]) {
        let ends = records.enumerated()
            .compactMap { index, record in record.end.map { (end: $0, index: index) } }
            .sorted { ($0.end, $0.index) < ($1.end, $1.index) }
        ended = Dictionary(grouping: ends) { records[$0.index].queueID }
        predecessors = records.map(\.predecessors)
        for (index, record) in records.enumerated() {
            let ready = Self.whenReady(record, among: records)
            guard ready < record.start else { continue }
            // Each of these may have returned the permit or the thread.
            let givers = [record.threadCause, lastEnd(before: index, record)].compactMap(\.self)
            predecessors[index] += givers.filter { giver in
                records[giver].end.map { ready < $0 && $0 <= record.start } ?? false
            }
        }
    }

    /// Returns the time after which only a permit or a thread was missing.
    private static func whenReady(_ record: Record, among records: [Record]) -> EventTime {
        let ends = record.predecessors.compactMap { records[$0].end }
        let parent = record.parent.map { records[$0].start }
        return ([record.tracked] + ends + [parent].compactMap(\.self)).max() ?? record.tracked
    }

    /// Returns the last operation of the record's queue that ended before the record started.
    private func lastEnd(before index: Int, _ record: Record) -> Int? {
        guard record.queueID != 0, let list = ended[record.queueID] else { return nil }
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if list[middle].end <= record.start { low = middle + 1 } else { high = middle }
        }
        let found = list[..<low].last?.index
        return found == index ? nil : found
    }
}
