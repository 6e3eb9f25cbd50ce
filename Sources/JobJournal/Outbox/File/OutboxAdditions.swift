import JobKit

/// Items that are added in one write, and the effects on their duplicates.
struct OutboxAdditions: Sendable {
    /// The id of each item's entry, which is new or already in the outbox.
    private(set) var ids: [UInt64] = []
    private(set) var events: [OutboxEvent] = []
    /// The new entries.
    ///
    /// Nil if another item of the same write has replaced the entry.
    private var new: [OutboxEntryPayload?] = []
    private var indexes: [SipHash.Digest: Int] = [:]
    private let policy: DuplicatePolicy
    private let now: Double

    var entries: [OutboxEntryPayload] { new.compactMap { $0 } }

    init(
        _ items: [OutboxEntryPayload],
        _ policy: DuplicatePolicy,
        _ machine: OutboxStateMachine,
        with fileKey: FileKey,
        _ now: Double
    ) {
        self.policy = policy
        self.now = now
        var nextID = machine.nextID
        for item in items {
            let duplicate = item.deduplicationID.map {
                OutboxEntryPayload.digest(item.key, $0, with: fileKey)
            }
            if let kept = duplicate.flatMap({ keptID(of: $0, machine) }) {
                ids.append(kept)
                continue
            }
            var entry = item
            (entry.id, entry.position, entry.addedAt) = (nextID, nextID, now)
            entry.duplicate = duplicate
            if policy == .replace, let duplicate { replace(duplicate, by: &entry, machine) }
            events.append(OutboxEvent(nextID, item.key, .added))
            if let duplicate { indexes[duplicate] = new.count }
            new.append(entry)
            ids.append(nextID)
            nextID += 1
        }
    }

    /// Returns the id of the entry that stays instead of a new one.
    private func keptID(of duplicate: SipHash.Digest, _ machine: OutboxStateMachine) -> UInt64? {
        guard policy == .keep || policy == .join else { return nil }
        if let index = indexes[duplicate], let entry = new[index] { return entry.id }
        let duplicates = machine.duplicates(of: duplicate)
        let waiting = duplicates.last { $0.phase != .performing && !$0.progress.isParked }
        if let waiting { return waiting.id }
        return policy == .join ? duplicates.last { $0.phase == .performing }?.id : nil
    }

    private mutating func replace(
        _ duplicate: SipHash.Digest,
        by entry: inout OutboxEntryPayload,
        _ machine: OutboxStateMachine
    ) {
        if let index = indexes[duplicate], let earlier = new[index] {
            entry.position = earlier.position
            entry.replaced = earlier.replaced
            entry.progress.inherit([(earlier.progress, true)])
            new[index] = nil
            return events.append(OutboxEvent(earlier.id, earlier.key, .replaced))
        }
        let duplicates = machine.duplicates(of: duplicate)
        let waiting = duplicates.filter { $0.phase != .performing }
        let last = duplicates.last { $0.phase == .performing }?.position ?? 0
        entry.replaced = waiting.map(\.id)
        entry.position = waiting.first { $0.position > last }?.position ?? entry.id
        entry.progress.inherit(
            waiting.filter { !$0.progress.isParked }
                .map { slot in
                    let isDelayed = slot.dueAt != nil && slot.progress.delayUntil > now
                    return (slot.progress, isDelayed && !slot.ignoresDelay)
                }
        )
        for id in entry.replaced { events.append(OutboxEvent(id, entry.key, .replaced)) }
    }

    /// Creates the records of one write.
    func records(with fileKey: FileKey) -> [Record] {
        let records = entries.map { $0.record(with: fileKey) }
        guard records.count > 1 else { return records }
        let size = records.reduce(0) { $0 + $1.size }
        return [Record(.batch, numbers: [UInt64(size)], with: fileKey)] + records
    }
}
