import Dispatch
import Foundation
import JobKit

/// Writes an outbox's entries to a new file, without obsolete records.
///
/// The entries are copied while attempts run, so the old file grows in the meantime. Its new
/// records are copied after the entries. This gives the same state, because each record holds a
/// complete one.
struct OutboxCompaction {
    private let shell: OutboxShell
    private let nextID: UInt64
    private let entries: [(number: OutboxSlots.Number, id: UInt64)]
    private var log: RecordLog
    private var moved: [(id: UInt64, place: RecordIndex.Place, hasError: Bool)] = []
    private var movedErrors: [(id: UInt64, offset: Int)] = []
    /// The end of the part of the old file that has been copied.
    private var copiedEnd: Int

    init(_ shell: OutboxShell, _ tail: RecordTail) throws {
        self.shell = shell
        let (entries, nextID) = shell.guarded.withLock { state in
            let slots = state.machine.slots
            return (slots.entries().map { ($0, slots[$0].id) }, state.machine.nextID)
        }
        self.entries = entries
        self.nextID = nextID
        copiedEnd = tail.end
        let file = try shell.home.createLocked(shell.fileName.temporary)
        let head = FileHead.outbox(name: shell.name, nextID: nextID)
        log = RecordLog(tail.ofNewFile(head), file, keepsUnsynced: false)
    }

    /// Copies the entries as they are now.
    mutating func copyEntries(reading old: inout some ByteSource) throws {
        for start in stride(from: 0, to: entries.count, by: 512) {
            let part = entries[start..<min(start + 512, entries.count)]
            let slots = shell.guarded.withLock { state in
                part.compactMap { state.machine.slot($0.id) }
            }
            for slot in slots {
                guard var record = try shell.record(at: slot.place, in: &old) else {
                    throw Damage(offset: slot.place.offset, reason: .check)
                }
                record.progress = slot.progress
                record.replaced = []
                // A newer error's record is copied later.
                let hasError = slot.errorOffset > 0 && slot.errorOffset < copiedEnd
                record.error = try hasError ? shell.error(at: slot.errorOffset, in: &old) : nil
                var frame = record.frame(sealedBy: shell.seal)
                try log.add(&frame)
                moved.append((slot.id, frame.place, record.error != nil))
            }
        }
        try log.finish()
    }

    /// Copies the records that were added to the old file since the last call.
    mutating func copyRecords(to end: Int, of file: OpenFile) throws {
        var old = try FileBytes(file, size: end)
        var scan = FrameScan(seal: shell.seal, offset: copiedEnd)
        while scan.offset < end {
            guard let found = try scan.next(&old, isSynced: false) else {
                throw Damage(offset: scan.offset, reason: .check)
            }
            try old.read(at: found.payloadOffset, count: found.header.count) { payload in
                let kind = found.header.kind
                guard [.entry, .change, .left, .cleared].contains(kind) else { return }
                var frame = Frame(kind, count: payload.count, sealedBy: shell.seal) {
                    $0.copyMemory(from: payload)
                }
                try log.add(&frame)
                let id: UInt64 = payload.little(0)
                if kind == .entry { moved.append((id, frame.place, false)) }
                if kind == .change, OutboxChangeRecord(payload)?.error != nil {
                    movedErrors.append((id, frame.offset))
                }
            }
        }
        try log.finish()
        copiedEnd = end
    }

    /// Syncs the copied records, so that they survive a power cut.
    func sync() throws { try log.file.sync() }

    /// Replaces the old file with the new one.
    ///
    /// The caller must have the turn.
    mutating func replace(_ old: inout RecordLog, isSynced: Bool) throws {
        try log.finishReplacement()
        if isSynced { try log.sync() }
        try shell.home.handle.rename(shell.fileName.temporary, to: shell.fileName.text)
        if isSynced { try shell.home.syncEntries() }
        let (new, moved, movedErrors) = (log, moved, movedErrors)
        shell.guarded.withLock { state in
            for (id, place, hasError) in moved {
                state.machine.moved(id, to: place, errorOffset: hasError ? place.offset : nil)
            }
            for (id, offset) in movedErrors { state.machine.errorMoved(id, to: offset) }
            state.file = new.file
            state.disk.compactionFloor = 0
        }
        old.replace(by: new)
    }

    static func discard(_ shell: OutboxShell) { try? shell.home.unlink(shell.fileName.temporary) }
}

extension OutboxShell {
    /// Writes all entries to a new file after a failed sync.
    ///
    /// The old file is not trusted any longer.
    func rewrite(_ log: inout RecordLog) throws {
        do {
            var old = UnsyncedPieces(log)
            var compaction = try OutboxCompaction(self, log.tail)
            try compaction.copyEntries(reading: &old)
            try compaction.replace(&log, isSynced: true)
        } catch {
            OutboxCompaction.discard(self)
            throw error
        }
    }

    /// Compacts the file while attempts run, if most of it is obsolete.
    func compactIfNeeded() {
        let isNeeded = guarded.withLock { state in
            guard let log = state.log, !state.disk.isCompacting, !state.disk.isFailing,
                !state.isClosing, !state.disk.mustBeRewritten
            else { return false }
            let end = log.tail.end
            let isWorthIt =
                state.machine.isEmpty
                ? end > OutboxDisk.emptySize
                : end > 1 << 20 && end > 2 * (state.machine.liveBytes + OutboxDisk.emptySize)
            guard isWorthIt, end > state.disk.compactionFloor else { return false }
            state.disk.isCompacting = true
            return true
        }
        guard isNeeded else { return }
        DispatchQueue.global(qos: .utility).async { [self] in compact() }
    }

    private func compact() {
        do {
            try compactNow()
            guarded.withLock { $0.disk.isCompacting = false }
        } catch {
            OutboxCompaction.discard(self)
            guarded.withLock { state in
                state.disk.isCompacting = false
                // The outbox still works. The next attempt follows when the file has grown.
                state.disk.compactionFloor = max((state.log?.tail.end ?? 0) * 3 / 2, 1 << 20)
            }
        }
        startAttempts()
    }

    private func compactNow() throws {
        // This thread has the turn, so no record is half written.
        let (started, file, end) = try writeNow(isOptional: true) { [self] log in
            (try OutboxCompaction(self, log.tail), log.file, log.tail.end)
        }
        var compaction = started
        var old = try FileBytes(file, size: end)
        try compaction.copyEntries(reading: &old)
        for _ in 0..<8 {
            let end = try writeNow { $0.tail.end }
            try compaction.copyRecords(to: end, of: file)
        }
        try compaction.sync()
        let copied = compaction
        try writeNow(isOptional: true) { [self] log in
            guard log.file === file else { throw FileIsClosed() }
            var compaction = copied
            try compaction.copyRecords(to: log.tail.end, of: file)
            try compaction.replace(&log, isSynced: settings.isSynced)
        }
    }
}
