import Dispatch

/// Writes an outbox's entries to a new file, without obsolete records.
///
/// The entries are copied while attempts run, so the old file grows in the meantime. Its new
/// records are copied after the entries. This gives the same state, because each record holds a
/// complete one.
struct OutboxCompaction {
    let oldFile: OpenFile
    /// The end of the part of the old file that has been copied.
    private(set) var copiedEnd: Int
    private let shell: OutboxShell
    private let entries: [UInt64]
    private var log: RecordLog
    private var moves: [(id: UInt64, entry: RecordLocation?, error: RecordLocation?)] = []

    init(_ shell: OutboxShell, _ old: RecordLog) throws {
        self.shell = shell
        (oldFile, copiedEnd) = (old.file, old.tail.end)
        let (entries, nextID) = shell.guarded.withLock { state in
            let slots = state.machine.slots
            return (slots.entries().map { slots[$0].id }, state.machine.nextID)
        }
        self.entries = entries
        let head = FileHead.outbox(name: shell.name, nextID: nextID)
        let file = try shell.home.createReplacement()
        log = RecordLog(old.tail.ofNewFile(head), file)
    }

    /// Copies the entries as they are now.
    mutating func copyEntries(reading old: inout some ByteSource) throws {
        for start in stride(from: 0, to: entries.count, by: 512) {
            let part = entries[start..<min(start + 512, entries.count)]
            let slots = shell.guarded.withLock { state in
                part.compactMap { state.machine.entry($0)?.slot }
            }
            for slot in slots {
                let copy = try log.add(slot, reading: &old, upTo: copiedEnd)
                moves.append((slot.id, copy.entry, copy.error))
            }
        }
        try log.finish()
    }

    /// Copies the records that were added to the old file since the last call.
    mutating func copyRecords(to end: Int) throws {
        var old = try FileBytes(oldFile, size: end)
        var scan = RecordScan(fileKey: shell.fileKey, offset: copiedEnd)
        while scan.offset < end {
            let isWhole = try scan.next(&old, isSynced: false) { record in
                guard [.entry, .change, .left, .cleared].contains(record.kind) else { return }
                let copy = try log.add(copyOf: record)
                let id: UInt64 = record.payload.little(0)
                if record.kind == .entry { moves.append((id, copy.location, nil)) }
                if record.kind == .change, OutboxEntryPayload(record)?.error != nil {
                    moves.append((id, nil, copy.location))
                }
            }
            guard isWhole else { throw Damage(offset: scan.offset, reason: .check) }
        }
        try log.finish()
        copiedEnd = end
    }

    /// Syncs the copied records, so that they survive a power cut.
    mutating func sync() throws { try log.sync() }

    /// Replaces the old file with the new one, on the thread that writes.
    mutating func replace(_ old: inout RecordLog, isSynced: Bool) throws {
        // A failed sync has led to another new file in the meantime.
        guard old.file === oldFile else { throw FileIsClosed() }
        try log.takePlace(in: shell.home, isSynced: isSynced)
        let (file, moves) = (log.file, moves)
        shell.guarded.withLock { state in
            for (id, entry, error) in moves { state.machine.moved(id, entry, error: error) }
            state.file = file
            state.disk.compactionFloor = 0
        }
        old.replace(by: log)
    }
}

extension OutboxShell {
    /// Writes all entries to a new file after a failed sync.
    ///
    /// The old file is not trusted any longer.
    func rewrite(_ log: inout RecordLog) throws {
        do {
            var old = UnsyncedPieces(log)
            var compaction = try OutboxCompaction(self, log)
            try compaction.copyEntries(reading: &old)
            try compaction.replace(&log, isSynced: true)
        } catch {
            try? home.unlinkReplacement()
            throw error
        }
    }

    /// Compacts the file while attempts run, if most of it is obsolete.
    func compactIfNeeded() {
        guard let end = writer.fileSize else { return }
        let isNeeded = guarded.withLock { state in
            let disk = state.disk
            guard disk.compaction == nil, !disk.isFailing, !state.isClosing else { return false }
            let isWorthIt =
                state.machine.isEmpty
                ? end > OutboxDisk.emptySize
                : end > 1 << 20 && end > 2 * (state.machine.liveBytes + OutboxDisk.emptySize)
            guard isWorthIt, end > disk.compactionFloor else { return false }
            state.disk.compaction = Promise()
            return true
        }
        guard isNeeded else { return }
        DispatchQueue.global(qos: .utility).async { [self] in compact() }
    }

    private func compact() {
        do { try compactNow() } catch {
            try? home.unlinkReplacement()
            // The outbox still works. The next attempt follows when the file has grown.
            let floor = max((writer.fileSize ?? 0) * 3 / 2, 1 << 20)
            guarded.withLock { $0.disk.compactionFloor = floor }
        }
        guarded.withLock { $0.disk.compaction.take() }?.fulfill()
        startAttempts()
    }

    private func compactNow() throws {
        // This thread writes, so no record is half written.
        var compaction = try writeNow(isOptional: true) { [self] log in
            try OutboxCompaction(self, log)
        }
        var old = try FileBytes(compaction.oldFile, size: compaction.copiedEnd)
        try compaction.copyEntries(reading: &old)
        for _ in 0..<8 { try compaction.copyRecords(to: try writeNow { $0.tail.end }) }
        try compaction.sync()
        let copied = compaction
        try writeNow(isOptional: true) { [self] log in
            var compaction = copied
            try compaction.copyRecords(to: log.tail.end)
            try compaction.replace(&log, isSynced: settings.isSynced)
        }
    }
}
