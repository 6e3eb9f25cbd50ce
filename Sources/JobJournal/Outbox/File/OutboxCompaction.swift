import Dispatch

/// Writes an outbox's entries to a new file, without obsolete records.
///
/// The entries are copied while attempts run. Those that change in the meantime are copied again.
/// A copy holds the complete state of an entry, so the latest one counts.
struct OutboxCompaction {
    private let shell: OutboxShell
    private let oldFile: OpenFile
    private var log: RecordLog
    /// The copied entries, and the locations of their copies.
    private var copies: [(id: UInt64, entry: RecordLocation, error: RecordLocation?)] = []

    init(_ shell: OutboxShell, _ old: RecordLog) throws {
        self.shell = shell
        oldFile = old.file
        let nextID = shell.guarded.withLock { $0.machine.nextID }
        let head = FileHead.outbox(name: shell.name, nextID: nextID)
        let file = try shell.home.createReplacement()
        log = RecordLog(old.tail.ofNewFile(head), file)
    }

    /// Copies the entries that have changed since the last call, or all of them at first.
    ///
    /// - Parameter end: The end of the old file.
    /// - Throws: ``FileIsClosed`` if a failed sync has led to another new file, or an error of the
    ///   disk.
    mutating func copyChanged(upTo end: Int) throws {
        let ids = shell.guarded.withLock { state in
            state.machine.changed == nil ? nil : exchange(&state.machine.changed, with: [])
        }
        guard let ids else { throw FileIsClosed() }
        var old = try FileBytes(oldFile, size: end)
        try copy(ids.sorted(), reading: &old)
    }

    /// Copies entries as they are now.
    mutating func copy(_ ids: [UInt64], reading old: inout some ByteSource) throws {
        for start in stride(from: 0, to: ids.count, by: 512) {
            let part = ids[start..<min(start + 512, ids.count)]
            let slots = shell.guarded.withLock { state in
                part.map { state.machine.entry($0)?.slot }
            }
            for (id, slot) in zip(part, slots) {
                guard let slot else {
                    var left = Record(.left, numbers: [id], with: shell.fileKey)
                    try log.add(&left)
                    continue
                }
                let copy = try log.add(slot, reading: &old)
                copies.append((id, copy.entry, copy.error))
            }
        }
        try log.finish()
    }

    /// Syncs the copies, so that they survive a power cut.
    mutating func sync() throws { try log.sync() }

    /// Replaces the old file with the new one, on the thread that writes.
    mutating func replace(_ old: inout RecordLog, isSynced: Bool) throws {
        try log.takePlace(in: shell.home, isSynced: isSynced)
        let (file, copies) = (log.file, copies)
        shell.guarded.withLock { state in
            for (id, entry, error) in copies { state.machine.moved(id, entry, error: error) }
            state.file = file
            state.machine.changed = nil
            state.disk.compactionFloor = 0
        }
        old.replace(by: log)
        if isSynced { try old.syncEntries(in: shell.home) }
    }
}

extension OutboxShell {
    /// Writes all entries to a new file after a failed sync.
    ///
    /// The old file is not trusted any longer. A compaction that runs fails.
    func rewrite(_ log: inout RecordLog) throws {
        let ids = guarded.withLock { state in
            state.machine.changed = nil
            return state.machine.ids
        }
        do {
            var old = UnsyncedPieces(log)
            var compaction = try OutboxCompaction(self, log)
            try compaction.copy(ids, reading: &old)
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
            // The outbox still works. The next attempt follows when the file has grown.
            let floor = max((writer.fileSize ?? 0) * 3 / 2, 1 << 20)
            guarded.withLock { state in
                state.disk.compactionFloor = floor
                state.disk.hasFailedCompaction = true
            }
            // The thread that writes deletes the new file.
            submit(OutboxRequest { _ in })
        }
        guarded.withLock { $0.disk.compaction.take() }?.fulfill()
        startAttempts()
    }

    /// A failure of the disk is returned, because the outbox can continue without a compaction.
    private func compactNow() throws {
        var compaction = try writeNow { [self] log in
            Result {
                guarded.withLock { $0.machine.changed = Set($0.machine.ids) }
                return try OutboxCompaction(self, log)
            }
        }
        .get()
        for _ in 0..<8 { try compaction.copyChanged(upTo: try writeNow { $0.tail.end }) }
        try compaction.sync()
        let copied = compaction
        try writeNow { [self] log in
            Result {
                var compaction = copied
                try compaction.copyChanged(upTo: log.tail.end)
                try compaction.replace(&log, isSynced: settings.isSynced)
            }
        }
        .get()
    }
}
