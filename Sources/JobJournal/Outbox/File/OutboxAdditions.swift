import JobKit

/// Items that are added in one write, and the effects on their duplicates.
///
/// The entries are those that single calls would have added one after another.
struct OutboxAdditions: Sendable {
    /// The id of each item's entry, which is new or already in the outbox.
    private(set) var ids: [UInt64] = []
    private(set) var entries: [OutboxEntryPayload] = []
    /// The latest new entry of each duplicate, as an index.
    private var latest: [SipHash.Digest: Int] = [:]

    init(
        _ items: [OutboxEntryPayload],
        _ policy: DuplicatePolicy,
        _ machine: OutboxStateMachine,
        with fileKey: FileKey,
        _ now: Double
    ) {
        for item in items {
            var entry = item
            entry.duplicate = item.deduplicationID.map {
                OutboxEntryPayload.digest(item.key, $0, with: fileKey)
            }
            if let kept = entry.duplicate.flatMap({ keptID(of: $0, policy, machine) }) {
                ids.append(kept)
                continue
            }
            entry.id = machine.nextID + UInt64(entries.count)
            (entry.position, entry.addedAt) = (entry.id, now)
            if let duplicate = entry.duplicate {
                if policy == .replace { replace(duplicate, by: &entry, machine, now) }
                latest[duplicate] = entries.count
            }
            entries.append(entry)
            ids.append(entry.id)
        }
    }

    /// Returns the id of the entry that stays instead of a new one.
    private func keptID(
        of duplicate: SipHash.Digest,
        _ policy: DuplicatePolicy,
        _ machine: OutboxStateMachine
    ) -> UInt64? {
        guard policy == .keep || policy == .join else { return nil }
        if let index = latest[duplicate] { return entries[index].id }
        let duplicates = machine.duplicates(of: duplicate)
        let waiting = duplicates.last { $0.phase != .performing && !$0.progress.isParked }
        if let waiting { return waiting.id }
        return policy == .join ? duplicates.last { $0.phase == .performing }?.id : nil
    }

    private func replace(
        _ duplicate: SipHash.Digest,
        by entry: inout OutboxEntryPayload,
        _ machine: OutboxStateMachine,
        _ now: Double
    ) {
        if let index = latest[duplicate] {
            // It has replaced all others that wait.
            entry.replaced = [entries[index].id]
            entry.position = entries[index].position
            return entry.progress.inherit([(entries[index].progress, true)])
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
    }

    /// The events of the entries, each after those of the entries that it replaces.
    var events: [OutboxEvent] {
        entries.flatMap { entry in
            entry.replaced.map { OutboxEvent($0, entry.key, .replaced) }
                + [OutboxEvent(entry.id, entry.key, .added)]
        }
    }

    /// Creates the records of one write.
    func records(with fileKey: FileKey) -> [Record] {
        let records = entries.map { $0.record(with: fileKey) }
        guard records.count > 1 else { return records }
        let size = records.reduce(0) { $0 + $1.size }
        return [Record(.batch, numbers: [UInt64(size)], with: fileKey)] + records
    }
}
