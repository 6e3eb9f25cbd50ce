/// Finds the operations that each operation of a timeline waited for.
///
/// These are its dependencies, and operations that returned a permit of its queue, or a thread,
/// when nothing else prevented it from starting.
struct TimelineWaits {
    /// The operations that had to finish before each record could start.
    ///
    /// They are indices among the records.
    private(set) var predecessors: [[Int]]

    /// The finished records of each queue, by end.
    private let ended: [Int: [(end: EventTime, index: Int)]]

    /// Finds them among records.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - parents: The index of each record's job.
    ///   - indices: The index of each operation, by its number.
    init(_ records: [TimelineRecording.Record], below parents: [Int?], _ indices: [Int: Int]) {
        let ends = records.enumerated()
            .compactMap { index, record in record.shownEnd.map { (end: $0, index: index) } }
            .sorted { ($0.end, $0.index) < ($1.end, $1.index) }
        ended = Dictionary(grouping: ends) { records[$0.index].causes.queueID }
        predecessors = records.map { $0.predecessorIDs.compactMap { indices[$0] } }
        for (index, record) in records.enumerated() {
            // After this time, only a permit or a thread was missing.
            let ends = predecessors[index].compactMap { records[$0].shownEnd }
            let job = parents[index].map { records[$0].shownStart }
            let ready = ([record.firstSeen, job].compactMap(\.self) + ends).max()
            guard let ready, ready < record.shownStart else { continue }
            // Each of these may have returned the permit or the thread.
            let givers = [indices[record.causes.threadCauseID], lastEnd(before: index, record)]
            predecessors[index] += givers.compactMap(\.self)
                .filter { giver in
                    records[giver].shownEnd.map { ready < $0 && $0 <= record.shownStart } ?? false
                }
        }
    }

    /// Returns the last operation of the record's queue that ended before the record started.
    private func lastEnd(before index: Int, _ record: TimelineRecording.Record) -> Int? {
        guard record.causes.queueID != 0, let list = ended[record.causes.queueID] else {
            return nil
        }
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if list[middle].end <= record.shownStart { low = middle + 1 } else { high = middle }
        }
        let found = list[..<low].last?.index
        return found == index ? nil : found
    }
}
