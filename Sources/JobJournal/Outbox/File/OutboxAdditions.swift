import JobKit

/// Items that are added in one write, and the effects on their duplicates.
struct OutboxAdditions: Sendable {
    /// The id of each item's entry, which is new or already in the outbox.
    private(set) var ids: [UInt64] = []
    private(set) var placed: [(record: OutboxEntryRecord, place: RecordIndex.Place)] = []
    private(set) var events: [OutboxEvent] = []
    /// The new records.
    ///
    /// Nil if another item of the same write has replaced the record.
    private var records: [OutboxEntryRecord?] = []
    private var indexes: [SipHash.Digest: Int] = [:]
    private let policy: DuplicatePolicy
    private let now: Double

    init(
        _ items: [OutboxNewItem],
        _ policy: DuplicatePolicy,
        _ machine: OutboxStateMachine,
        sealedBy seal: JournalSeal,
        _ now: Double
    ) {
        self.policy = policy
        self.now = now
        var nextID = machine.nextID
        for item in items {
            let duplicate = item.deduplicationID.map {
                OutboxEntryRecord.digest(item.key, $0, sealedBy: seal)
            }
            if let kept = duplicate.flatMap({ keptID(of: $0, machine) }) {
                ids.append(kept)
                continue
            }
            var record = OutboxEntryRecord(
                id: nextID,
                position: nextID,
                addedAt: now,
                key: item.key,
                deduplicationID: item.deduplicationID,
                item: item.item[...]
            )
            record.duplicate = duplicate
            record.progress.notBefore = item.notBefore
            if policy == .replace, let duplicate { replace(duplicate, by: &record, machine) }
            events.append(OutboxEvent(id: nextID, key: item.key, .added))
            if let duplicate { indexes[duplicate] = records.count }
            records.append(record)
            ids.append(nextID)
            nextID += 1
        }
    }

    /// Returns the id of the entry that stays instead of a new one.
    private func keptID(of duplicate: SipHash.Digest, _ machine: OutboxStateMachine) -> UInt64? {
        guard policy == .keep || policy == .join else { return nil }
        if let index = indexes[duplicate], let record = records[index] { return record.id }
        let duplicates = machine.duplicates(of: duplicate)
        let waiting = duplicates.last { $0.phase != .performing && !$0.progress.isParked }
        if let waiting { return waiting.id }
        return policy == .join ? duplicates.last { $0.phase == .performing }?.id : nil
    }

    private mutating func replace(
        _ duplicate: SipHash.Digest,
        by record: inout OutboxEntryRecord,
        _ machine: OutboxStateMachine
    ) {
        if let index = indexes[duplicate], let earlier = records[index] {
            record.position = earlier.position
            record.replaced = earlier.replaced
            record.progress.inherit([(earlier.progress, true)])
            records[index] = nil
            return events.append(OutboxEvent(id: earlier.id, key: earlier.key, .replaced))
        }
        let duplicates = machine.duplicates(of: duplicate)
        let waiting = duplicates.filter { $0.phase != .performing }
        let last = duplicates.last { $0.phase == .performing }?.position ?? 0
        record.replaced = waiting.map(\.id)
        record.position = waiting.first { $0.position > last }?.position ?? record.id
        let now = now
        record.progress.inherit(
            waiting.filter { !$0.progress.isParked }
                .map { slot in
                    let isDelayed = slot.dueAt != nil && slot.progress.delayUntil > now
                    return (slot.progress, isDelayed && !slot.ignoresDelay)
                }
        )
        let key = record.key
        events += record.replaced.map { OutboxEvent(id: $0, key: key, .replaced) }
    }

    /// Creates the frames of one write.
    func frames(sealedBy seal: JournalSeal) -> [Frame] {
        let frames = records.compactMap { $0?.frame(sealedBy: seal) }
        guard frames.count > 1 else { return frames }
        let size = frames.reduce(0) { $0 + $1.size }
        return [Frame(.batch, numbers: [UInt64(size)], sealedBy: seal)] + frames
    }

    mutating func written(_ frames: [Frame]) {
        let entries = records.compactMap { $0 }
        placed = zip(entries, frames.suffix(entries.count))
            .map { record, frame in
                var record = record
                record.item = []
                return (record, frame.place)
            }
    }
}

extension Frame {
    /// The location of a sealed frame.
    var place: RecordIndex.Place {
        RecordIndex.Place(offset: offset, payloadCount: UInt32(size - Frame.headerSize))
    }
}
