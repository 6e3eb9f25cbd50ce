/// Writes a new file without obsolete records.
///
/// These are replaced outcomes, the beginnings of steps that have succeeded, earlier sessions, and
/// fillers.
struct JournalRewriting {
    private let found: RecoveredJournal
    private let tail: RecordTail

    init(_ found: RecoveredJournal, _ tail: RecordTail) {
        self.found = found
        self.tail = tail
    }

    /// Whether more than half of the file is obsolete.
    var isWorthIt: Bool {
        // In a synced file, sectors are filled before and after the last session.
        let live = found.liveBytes + (tail.fillsSectors ? 3 * FrameScan.sector : 0)
        return found.seal != nil && found.end > 2 * live
    }

    /// Writes the new file beside the old one, and then replaces the old one.
    func write(
        _ folder: JournalFolder,
        _ name: JournalFileName,
        reading bytes: inout FileBytes
    ) throws -> (RecordIndex, RecordLog) {
        let file = try folder.createLocked(name.temporary)
        var log = RecordLog(tail.ofNewFile(), file)
        var index = RecordIndex()
        index.reserve(found.index.count)
        for step in found.index.begun {
            var frame = Frame(.begun, step.bytes, sealedBy: tail.seal)
            try log.add(&frame)
            index.stepBegan(step)
        }
        for place in found.index.places.values.sorted(by: { $0.offset < $1.offset }) {
            try copy(place, from: &bytes, &log, &index)
        }
        try log.finishReplacement()
        try file.sync()
        try folder.handle.rename(name.temporary, to: name.text)
        if tail.fillsSectors { try folder.handle.syncEntries() }
        return (index, log)
    }

    private func copy(
        _ place: RecordIndex.Place,
        from bytes: inout FileBytes,
        _ log: inout RecordLog,
        _ index: inout RecordIndex
    ) throws {
        let copied = try bytes.record(at: place, sealedBy: tail.seal) { kind, payload in
            RecordedStep(payload, sealedBy: tail.seal)
                .map { step in
                    let frame = Frame(kind, count: payload.count, sealedBy: tail.seal) {
                        $0.copyMemory(from: payload)
                    }
                    return (frame, step)
                }
        }
        guard let (copy, step) = copied else { throw Damage(offset: place.offset, reason: .check) }
        var frame = copy
        try log.add(&frame)
        index.outcomeRecorded(
            step.digest,
            in: step.scopes,
            at: RecordIndex.Place(offset: frame.offset, payloadCount: place.payloadCount)
        )
    }
}
