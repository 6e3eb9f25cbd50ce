/// Appends records to a file, as the only code that writes there.
///
/// One thread at a time uses it.
struct RecordLog: Sendable {
    private(set) var tail: RecordTail
    let file: OpenFile
    /// Bytes that have offsets and are not written yet.
    private var pending: [UInt8] = []
    /// The bytes since the latest sync, if they are kept.
    private(set) var unsynced: [UInt8]?
    /// Whether a failed write may have left bytes after the end.
    private var hasRest = false
    /// Whether the file is not trusted, because a sync has failed.
    private(set) var mustBeReplaced = false

    init(_ tail: RecordTail, _ file: OpenFile, keepsUnsynced: Bool = false) {
        self.tail = tail
        self.file = file
        unsynced = keepsUnsynced ? [] : nil
    }

    /// Whether the file must be synced before records are added.
    var mustBeSynced: Bool { tail.mustBeSynced }

    var unsyncedCount: Int { unsynced?.count ?? 0 }

    /// Writes one record.
    ///
    /// - Returns: Its location.
    @discardableResult
    mutating func append(_ record: Record) throws -> RecordLocation {
        var records = [record]
        try append(&records)
        return records[0].location
    }

    /// Writes records together and gives each its offset.
    ///
    /// If the beginning of the file or of the session is missing, it is written first. If writing
    /// fails, no record was added, and the next call cuts off the bytes that the failed write has
    /// left.
    mutating func append(_ records: inout [some RecordCarrying]) throws {
        try cutRest()
        let (before, unsyncedBefore) = (tail, unsyncedCount)
        do {
            addBeginning()
            if pending.isEmpty, records.count == 1, !tail.fillsSectors {
                tail.assignOffset(to: &records[0].record)
                try file.write(records[0].record.bytes, at: records[0].record.offset)
            } else {
                for at in records.indices { try add(&records[at].record) }
                try finish()
            }
        } catch {
            tail = before
            pending = []
            if let count = unsynced?.count { unsynced?.removeLast(count - unsyncedBefore) }
            hasRest = true
            try? cutRest()
            throw error
        }
    }

    /// Gives a record its offset and adds it to the pending bytes.
    ///
    /// ``finish()`` writes it at the latest.
    mutating func add(_ record: inout Record) throws {
        addBeginning()
        tail.assignOffset(to: &record)
        pending += record.bytes
        if pending.count > 1 << 20 { try write() }
    }

    /// Adds a copy of a record of another file with the same key.
    ///
    /// - Returns: The record at its new location.
    mutating func add(copyOf found: FoundRecord) throws -> FoundRecord {
        var record = Record(found.kind, copying: found.payload, with: tail.fileKey)
        try add(&record)
        var copy = found
        copy.location = record.location
        return copy
    }

    /// Writes all pending bytes.
    mutating func finish() throws {
        addBeginning()
        pending += tail.fill()
        try write()
    }

    /// Syncs all written bytes, so that they survive a power cut.
    mutating func sync() throws {
        do { try file.sync() } catch {
            mustBeReplaced = true
            throw error
        }
        tail.wasSynced()
        if unsynced != nil { unsynced = [] }
    }

    /// Syncs the bytes of earlier sessions, before this one adds to them.
    mutating func syncEarlierSessions(in home: JournalFolder) throws {
        guard mustBeSynced else { return }
        if tail.end == 0 {
            pending = tail.takeHead()
            try write()
        }
        try syncEntries(in: home)
        try sync()
    }

    /// Makes the file's name survive a power cut.
    mutating func syncEntries(in home: JournalFolder) throws {
        do { try home.syncEntries() } catch {
            mustBeReplaced = true
            throw error
        }
    }

    /// Completes a new file, and puts it in the place of the old one.
    ///
    /// ``syncEntries(in:)`` must follow if the file is synced.
    mutating func takePlace(
        in home: JournalFolder,
        isSynced: Bool,
        keepingOld keepOld: () throws -> Void = {}
    ) throws {
        try finish()
        if tail.fillsSectors {
            // The last record states that all others are on the disk. Therefore, damage in the
            // others is never taken for a torn write.
            tail.wasSynced()
            tail.beginSessionAgain()
            try finish()
        }
        if isSynced { try sync() }
        try keepOld()
        try home.replaceFile()
    }

    /// Continues in a new file, which was synced.
    mutating func replace(by log: RecordLog) {
        let keepsUnsynced = unsynced != nil
        self = log
        unsynced = keepsUnsynced ? [] : nil
    }

    private mutating func cutRest() throws {
        guard hasRest else { return }
        try file.truncate(to: tail.end)
        hasRest = false
    }

    private mutating func addBeginning() {
        let beginning = tail.takeHead() + tail.takeSession()
        if !beginning.isEmpty { pending += beginning }
    }

    private mutating func write() throws {
        guard !pending.isEmpty else { return }
        try file.write(pending, at: tail.end - pending.count)
        unsynced? += pending
        pending.removeAll(keepingCapacity: true)
    }
}

/// Reads a file after a failed sync, with the unsynced bytes from memory.
struct UnsyncedPieces: ByteSource {
    let size: Int
    private var file: FileBytes
    private let unsynced: [UInt8]

    init(_ log: RecordLog) {
        size = log.tail.end
        file = FileBytes(piecesOf: log.file)
        unsynced = log.unsynced ?? []
    }

    mutating func read<Value>(
        at offset: Int,
        count: Int,
        _ body: (UnsafeRawBufferPointer) throws -> Value
    ) throws -> Value {
        let start = offset - (size - unsynced.count)
        guard start < 0 else { return try unsynced.read(at: start, count: count, body) }
        return try file.read(at: offset, count: count, body)
    }
}

/// A value that is written as one record.
protocol RecordCarrying {
    var record: Record { get set }
}

extension Record: RecordCarrying {
    var record: Record {
        get { self }
        set { self = newValue }
    }
}

extension RecoveredFile {
    /// Cuts off a torn write.
    ///
    /// - Returns: The end of the file, at which this session continues.
    func tail(of file: OpenFile, _ head: FileHead, isSynced: Bool) throws -> RecordTail {
        if end < Int(try file.status().st_size) { try file.truncate(to: end) }
        let fileKey = fileKey ?? .random()
        let session = SessionPayload(isSynced: isSynced, after: session, with: fileKey)
        return RecordTail(fileKey: fileKey, head: head, session: session, end: end)
    }
}
