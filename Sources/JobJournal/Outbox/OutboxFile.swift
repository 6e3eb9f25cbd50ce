import Foundation

/// Repairs or deletes the file of an outbox that is not open.
public enum OutboxFile {
    /// Moves a damaged file aside, and writes a new one with every readable entry.
    ///
    /// Each kept entry is marked as one that may have begun. Removed or replaced entries may
    /// return. An undamaged file is not changed.
    ///
    /// - Parameters:
    ///   - folder: The folder of the outbox.
    ///   - name: The name of the outbox.
    /// - Returns: The number of kept entries, and the extent of the loss.
    /// - Throws: ``JobJournal/JobJournal/InUseError`` if the outbox is open,
    ///   ``JobJournal/JobJournal/DamagedError`` if the file is of a later format or of another
    ///   outbox, or ``JobJournal/JobJournal/WriteError``.
    public static func salvage(at folder: URL, name: String) throws -> OutboxSalvage {
        let fileName = JournalFileName(name, suffix: ".outbox")
        let path = folder.appendingPathComponent(fileName.text)
        guard FileManager.default.fileExists(atPath: path.path) else {
            return OutboxSalvage(keptCount: 0, lostByteCount: 0, damagedFile: nil)
        }
        return try opened(folder, name, fileName) { home, file in
            var bytes = try FileBytes(file)
            let time = OutboxStateMachine.Time(wall: 0, clock: 0)
            do {
                let found = try RecoveredOutbox(
                    &bytes,
                    name: name,
                    isSynced: false,
                    limit: 1,
                    time
                )
                return OutboxSalvage(
                    keptCount: found.machine.slots.count,
                    lostByteCount: 0,
                    damagedFile: nil
                )
            } catch let damage as Damage
                where damage.reason != .laterFormat && damage.reason != .otherJob
            {
                let salvaging = try OutboxSalvaging(&bytes, time)
                return try salvaging.replace(fileName, name, in: home, &bytes)
            }
        }
    }

    /// Deletes the file and every file that was moved aside.
    ///
    /// If there is no file, nothing happens.
    ///
    /// - Parameters:
    ///   - folder: The folder of the outbox.
    ///   - name: The name of the outbox.
    /// - Throws: ``JobJournal/JobJournal/InUseError`` if the outbox is open, or
    ///   ``JobJournal/JobJournal/WriteError``.
    public static func delete(at folder: URL, name: String) throws {
        let fileName = JournalFileName(name, suffix: ".outbox")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let aside = names.filter { $0.hasPrefix(fileName.text + ".damaged-") }
        guard names.contains(fileName.text) || !aside.isEmpty else { return }
        try opened(folder, name, fileName) { home, _ in
            try home.unlink(fileName.temporary)
            for name in aside { try home.unlink(name) }
            try home.unlink(fileName.text)
        }
    }

    private static func opened<Value>(
        _ folder: URL,
        _ name: String,
        _ fileName: JournalFileName,
        _ body: (JournalFolder, OpenFile) throws -> Value
    ) throws -> Value {
        let path = folder.appendingPathComponent(fileName.text)
        do {
            let home = try JournalFolder(folder, calls: .system)
            guard let file = try home.openLocked(fileName.text) else {
                throw JobJournal.InUseError(job: name)
            }
            defer { file.unlock() }
            return try body(home, file)
        } catch let damage as Damage {
            throw JobJournal.DamagedError(damage, of: path)
        } catch let error as JobJournal.InUseError {
            throw error
        } catch {
            throw JobJournal.WriteError(file: path, underlying: error)
        }
    }
}

/// The result of a salvage.
public struct OutboxSalvage: Sendable {
    /// The number of entries that were kept.
    public let keptCount: Int
    /// The number of bytes that could not be read as records.
    public let lostByteCount: Int
    /// The damaged file after it was moved aside.
    ///
    /// Nil if the file was whole.
    public let damagedFile: URL?
}

/// The whole records of a damaged file.
struct OutboxSalvaging {
    private let found: RecoveredOutbox
    private let seal: JournalSeal
    private let lostByteCount: Int

    init(_ bytes: inout FileBytes, _ time: OutboxStateMachine.Time) throws {
        // Without a seal, no record can be read, and any id may have been used.
        let source = try OutboxSalvaging.seal(of: &bytes)
        let age = UInt64(max(Date().timeIntervalSince1970, 0) * 1_000)
        seal = source?.seal ?? .random()
        var found = RecoveredOutbox(salvagedBy: seal, nextID: source?.nextID ?? age << 20, time)
        var scan = FrameScan(seal: seal, offset: source == nil ? bytes.size : 0)
        var whole = 0
        while scan.offset < bytes.size {
            let start = scan.offset
            if let frame = try? scan.next(&bytes, isSynced: false) {
                try bytes.read(at: frame.payloadOffset, count: frame.header.count) { payload in
                    if found.apply(frame, payload) { whole += frame.end - frame.offset }
                }
            } else {
                scan.offset = start + 1
            }
        }
        let preamble = source?.isFirst == true ? Preamble.size : 0
        lostByteCount = bytes.size - whole - preamble
        // Each lost record may have used a new id.
        found.idsLost(lostByteCount / (Frame.headerSize + OutboxEntryRecord.headerSize) + 1)
        found.markAsBegun()
        self.found = found
    }

    /// Finds the seal in the preamble, or in the copy at the beginning of a sector.
    private static func seal(
        of bytes: inout FileBytes
    ) throws -> (seal: JournalSeal, nextID: UInt64, isFirst: Bool)? {
        let first = try bytes.read(at: 0, count: min(Preamble.size, bytes.size)) { Array($0) }
        var found: JournalSeal?
        if case .whole(let preamble) = Preamble.read(first) { found = preamble.seal }
        for start in stride(from: 0, to: bytes.size - FileHead.copySize, by: FrameScan.sector) {
            let copy = try bytes.read(at: start, count: FileHead.copySize) { FileHead.copy($0) }
            guard let copy, found == nil || copy.seal == found else { continue }
            return (copy.seal, copy.nextID, found != nil)
        }
        return found.map { ($0, 1, true) }
    }

    /// Moves the damaged file aside, and writes the entries to a new one.
    func replace(
        _ fileName: JournalFileName,
        _ name: String,
        in home: JournalFolder,
        _ bytes: inout FileBytes
    ) throws -> OutboxSalvage {
        let file = try home.createLocked(fileName.temporary)
        let machine = found.machine
        let session = found.session ?? SessionPayload(isSynced: false, isInDoubt: true, boot: nil)
        let tail = RecordTail(
            seal: seal,
            head: .outbox(name: name, nextID: machine.nextID),
            session: session,
            end: 0
        )
        var log = RecordLog(tail, file)
        for number in machine.slots.entries() {
            let slot = machine.slots[number]
            let record = try bytes.record(at: slot.place, sealedBy: seal) { _, payload in
                OutboxEntryRecord(payload, sealedBy: seal)
            }
            guard var record else { continue }
            record.progress = slot.progress
            record.replaced = []
            var frame = record.frame(sealedBy: seal)
            try log.add(&frame)
        }
        try log.finishReplacement()
        try file.sync()
        let aside = try home.moveAside(fileName.text)
        try home.handle.rename(fileName.temporary, to: fileName.text)
        try home.syncEntries()
        return OutboxSalvage(
            keptCount: machine.slots.count,
            lostByteCount: lostByteCount,
            damagedFile: home.url.appendingPathComponent(aside)
        )
    }
}
