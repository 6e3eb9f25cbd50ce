extension OutboxStateMachine {
    /// Applies a record of an earlier session.
    ///
    /// Returns false if the record does not belong in an outbox.
    mutating func apply(
        _ kind: Record.Kind,
        _ payload: UnsafeRawBufferPointer,
        at location: RecordLocation,
        with fileKey: FileKey,
        _ time: Time
    ) -> Bool {
        switch kind {
        case .outbox:
            guard payload.count > 8 else { return false }
            idsUsed(below: payload.little(0))
        case .entry:
            let entry = OutboxEntryPayload(payload, with: fileKey, withItem: false)
            guard let entry else { return false }
            entryAdded(entry, at: location, time)
        case .change:
            guard let change = OutboxChangePayload(payload) else { return false }
            let error = change.error == nil ? nil : location
            stateChanged(change.id, change.progress, errorAt: error, at: time)
        case .left:
            guard let ids = payload.numbers else { return false }
            for id in ids { entryLeft(id) }
        case .cleared:
            guard let id = payload.numbers?.first else { return false }
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
    ///   - end: The end of the part of `old` that is copied. A later error is not copied.
    /// - Returns: The locations of the record, and of the entry's error.
    /// - Throws: ``Damage``, or an error of the disk.
    mutating func add(
        _ slot: OutboxSlots.Slot,
        reading old: inout some ByteSource,
        upTo end: Int = .max
    ) throws -> (entry: RecordLocation, error: RecordLocation?) {
        guard var entry = try old.outboxEntry(at: slot.location, with: tail.fileKey) else {
            throw Damage(offset: slot.location.offset, reason: .check)
        }
        entry.progress = slot.progress
        entry.replaced = []
        let error = slot.errorLocation.flatMap { $0.offset < end ? $0 : nil }
        entry.error = try error.flatMap { try old.outboxError(at: $0, with: tail.fileKey) }
        var record = entry.record(with: tail.fileKey)
        try add(&record)
        return (record.location, entry.error == nil ? nil : record.location)
    }
}

extension ByteSource {
    /// Reads an entry.
    ///
    /// Nil if its record is damaged.
    mutating func outboxEntry(
        at location: RecordLocation,
        with fileKey: FileKey
    ) throws -> OutboxEntryPayload? {
        try record(at: location, with: fileKey) { kind, payload in
            kind == .entry ? OutboxEntryPayload(payload, with: fileKey) : nil
        }
    }

    /// Reads the error in the record of an entry or of a change.
    mutating func outboxError(
        at location: RecordLocation,
        with fileKey: FileKey
    ) throws -> String? {
        try record(at: location, with: fileKey) { kind, payload in
            kind == .change
                ? OutboxChangePayload(payload)?.error
                : OutboxEntryPayload(payload, with: fileKey, withItem: false)?.error
        }
    }
}
