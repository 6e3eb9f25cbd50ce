/// Finds out what each operation of a timeline waited for: its dependencies, or a permit of its
/// queue or a thread that another returned after it could have started otherwise.
struct TimelineWaits {
    struct Record {
        let tracked: EventTime
        let start: EventTime
        /// Nil if it has not finished.
        let end: EventTime?
        let parent: Int?
        /// Its dependencies, the one that tracked it and the one that made room in its group.
        let predecessors: [Int]
        /// The queue of limited width in which it ran; 0 for none.
        let queueID: Int
        /// The one that ended last on the thread that started it.
        let threadCause: Int?
    }

    /// Those that had to finish before each record could start, as indices among the records.
    private(set) var predecessors: [[Int]]

    /// The finished records of each queue, by their ends.
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
            let givers = [record.threadCause, lastEnd(before: index, record)].compactMap(\.self)
            predecessors[index] += givers.filter { giver in
                records[giver].end.map { ready < $0 && $0 <= record.start } ?? false
            }
        }
    }

    /// When nothing but a permit and a thread was missing.
    private static func whenReady(_ record: Record, among records: [Record]) -> EventTime {
        let ends = record.predecessors.compactMap { records[$0].end }
        let parent = record.parent.map { records[$0].start }
        return ([record.tracked] + ends + [parent].compactMap(\.self)).max() ?? record.tracked
    }

    /// The last one of its queue that ended before a record started.
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
