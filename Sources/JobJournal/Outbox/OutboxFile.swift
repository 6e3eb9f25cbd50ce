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
        let path = folder.appendingPathComponent(fileName.text).path
        guard FileManager.default.fileExists(atPath: path) else {
            return OutboxSalvage(keptCount: 0, lostByteCount: 0, damagedFile: nil)
        }
        return try JournalFolder.open(folder, fileName, of: name) { home, file in
            defer { file.unlock() }
            var bytes = try FileBytes(file)
            var machine = OutboxStateMachine(limit: 1)
            let head = FileHead.outbox(name: name, nextID: 1)
            do {
                _ = try RecoveredFile(&bytes, head, isSynced: false) {
                    machine.apply($0, OutboxStateMachine.Time())
                }
                let count = machine.slots.count
                return OutboxSalvage(keptCount: count, lostByteCount: 0, damagedFile: nil)
            } catch let damage as Damage
                where damage.reason != .laterFormat && damage.reason != .otherJob
            {
                return try OutboxSalvaging(&bytes).replaceFile(of: name, in: home, &bytes)
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
        try JournalFolder.open(folder, fileName, of: name) { home, file in
            defer { file.unlock() }
            for name in aside + [fileName.text] { try home.unlink(name) }
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
    private var machine = OutboxStateMachine(limit: 1)
    private let fileKey: FileKey
    private var lostByteCount = 0
    private var session = SessionPayload(isSynced: false, isInDoubt: false, bootID: nil)

    init(_ bytes: inout FileBytes) throws {
        // Without a key, no record can be read, and any id may have been used.
        let source = try OutboxSalvaging.source(&bytes)
        let age = UInt64(max(Date().timeIntervalSince1970, 0) * 1_000)
        let fileKey = source?.fileKey ?? .random()
        self.fileKey = fileKey
        machine.idsUsed(below: source?.nextID ?? age << 20)
        var scan = RecordScan(fileKey: fileKey, offset: source == nil ? bytes.size : 0)
        var whole = source?.isFirst == true ? Preamble.size : 0
        while scan.offset < bytes.size {
            let isFound = try? scan.next(&bytes, isSynced: false) { record in
                if record.kind == .session, let latest = SessionPayload(record.payload) {
                    session = latest
                }
                if machine.apply(record, OutboxStateMachine.Time()) {
                    whole += record.location.size
                }
            }
            if isFound != true { scan.offset += 1 }
        }
        lostByteCount = bytes.size - whole
        // Each lost record may have used a new id.
        let lost = lostByteCount / (Record.headerSize + OutboxEntryPayload.headerSize) + 1
        machine.idsUsed(below: machine.nextID + UInt64(lost))
    }

    /// Finds the key in the preamble, or in the copy at the beginning of a sector.
    private static func source(
        _ bytes: inout FileBytes
    ) throws -> (fileKey: FileKey, nextID: UInt64, isFirst: Bool)? {
        let first = try bytes.read(at: 0, count: min(Preamble.size, bytes.size)) { Array($0) }
        var found: FileKey?
        if case .whole(let fileKey) = Preamble.read(first) { found = fileKey }
        for start in stride(from: 0, to: bytes.size - FileHead.copySize, by: RecordScan.sector) {
            let copy = try bytes.read(at: start, count: FileHead.copySize) { FileHead.copy($0) }
            guard let copy, found == nil || copy.fileKey == found else { continue }
            return (copy.fileKey, copy.nextID, found != nil)
        }
        return found.map { ($0, 1, true) }
    }

    /// Moves the damaged file aside, and writes the entries to a new one.
    func replaceFile(
        of name: String,
        in home: JournalFolder,
        _ bytes: inout FileBytes
    ) throws -> OutboxSalvage {
        let tail = RecordTail(
            fileKey: fileKey,
            head: .outbox(name: name, nextID: machine.nextID),
            session: session,
            end: 0
        )
        var log = RecordLog(tail, try home.createReplacement())
        for number in machine.slots.entries() {
            // Records may be missing, so any entry may have begun.
            var slot = machine.slots[number]
            slot.progress.flags.insert(.mayHaveBegun)
            _ = try log.add(slot, reading: &bytes)
        }
        var aside: URL?
        try log.takePlace(in: home, isSynced: true) { aside = try home.moveAside() }
        try log.syncEntries(in: home)
        return OutboxSalvage(
            keptCount: machine.slots.count,
            lostByteCount: lostByteCount,
            damagedFile: aside
        )
    }
}
