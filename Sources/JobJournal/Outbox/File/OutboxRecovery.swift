extension OutboxStateMachine {
    /// Applies a record of an earlier session.
    ///
    /// Returns false if the record does not belong in an outbox.
    mutating func apply(_ record: FoundRecord, _ time: Time) -> Bool {
        switch record.kind {
        case .outbox:
            guard record.payload.count > 8 else { return false }
            idsUsed(below: record.payload.little(0))
        case .entry:
            guard let entry = OutboxEntryPayload(record) else { return false }
            entryAdded(entry, at: record.location, time)
        case .change:
            guard let change = OutboxEntryPayload(record) else { return false }
            let error = change.error == nil ? nil : record.location
            stateChanged(change.id, change.progress, errorAt: error, at: time)
        case .left:
            guard let ids = record.numbers else { return false }
            for id in ids {
                idsUsed(below: id + 1)
                entryLeft(id)
            }
        case .cleared:
            guard let id = record.numbers?.first else { return false }
            entriesCleared(below: id)
        case .session, .filler, .copy, .batch: break
        case .journal, .begun, .outcome: return false
        }
        return true
    }
}

extension RecordLog {
    /// Adds the record of an entry in its present state to a new file.
    ///
    /// - Parameters:
    ///   - slot: The entry.
    ///   - old: The file that has its record.
    /// - Returns: The locations of the record, and of the entry's error.
    /// - Throws: ``Damage``, or an error of the disk.
    mutating func add(
        _ slot: OutboxSlots.Slot,
        reading old: inout some ByteSource
    ) throws -> (entry: RecordLocation, error: RecordLocation?) {
        let found = try old.record(at: slot.location, with: tail.fileKey) {
            OutboxEntryPayload($0, withItem: true)
        }
        guard var entry = found else {
            throw Damage(offset: slot.location.offset, reason: .check)
        }
        entry.progress = slot.progress
        entry.replaced = []
        entry.error = try slot.errorLocation.flatMap { location in
            try old.record(at: location, with: tail.fileKey) { OutboxEntryPayload($0)?.error }
        }
        var record = entry.record(with: tail.fileKey)
        try add(&record)
        return (record.location, entry.error == nil ? nil : record.location)
    }
}
