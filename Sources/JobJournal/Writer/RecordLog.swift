/// Appends records to a file, as the only code that writes there.
///
/// The thread that has the turn uses a copy, and stores it once all that it wrote counts.
struct RecordLog: Sendable {
    private(set) var tail: RecordTail
    let file: OpenFile
    /// Bytes that have offsets and are not written yet.
    private var pending: [UInt8] = []
    /// The bytes since the latest sync, if they are kept.
    private(set) var unsynced: [UInt8]?
    /// Whether a failed write may have left bytes after the end.
    private var hasRest = false

    init(_ tail: RecordTail, _ file: OpenFile, keepsUnsynced: Bool = false) {
        self.tail = tail
        self.file = file
        unsynced = keepsUnsynced ? [] : nil
    }

    /// Whether the file must be synced before records are added.
    var mustBeSynced: Bool { tail.mustBeSynced }

    var unsyncedCount: Int { unsynced?.count ?? 0 }

    /// Writes records together and gives each its offset.
    ///
    /// If the beginning of the file or of the session is missing, it is written first. If writing
    /// fails, no record was added, and the next call cuts off the bytes that the failed write has
    /// left.
    mutating func append(_ records: inout [some FrameCarrying]) throws {
        try cutRest()
        let (before, unsyncedBefore) = (tail, unsyncedCount)
        do {
            addBeginning()
            if pending.isEmpty, records.count == 1, !tail.fillsSectors {
                tail.place(&records[0].frame)
                try file.write(records[0].frame.bytes, at: records[0].frame.offset)
            } else {
                for at in records.indices { try add(&records[at].frame) }
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
    mutating func add(_ frame: inout Frame) throws {
        addBeginning()
        tail.place(&frame)
        pending += frame.bytes
        if pending.count > 1 << 20 { try write() }
    }

    /// Writes all pending bytes.
    mutating func finish() throws {
        addBeginning()
        pending += tail.fill()
        try write()
    }

    /// Syncs all written bytes, so that they survive a power cut.
    mutating func sync() throws {
        try file.sync()
        wasSynced()
    }

    /// Syncs the bytes of earlier sessions, before this one adds to them.
    mutating func syncEarlierSessions(in home: JournalFolder) throws {
        guard mustBeSynced else { return }
        if tail.end == 0 {
            pending = tail.takeHead()
            try write()
        }
        try file.sync()
        try home.syncEntries()
        wasSynced()
    }

    /// Completes a file that replaces another one and will be synced as a whole.
    ///
    /// It ends with a frame that records that all others are on the disk. Therefore, damage in the
    /// others is never taken for a torn write.
    mutating func finishReplacement() throws {
        try finish()
        guard tail.fillsSectors else { return }
        tail.wasSynced()
        tail.beginSessionAgain()
        try finish()
    }

    /// Replaces this file with a new one, which is synced.
    mutating func replace(by log: RecordLog) {
        let keepsUnsynced = unsynced != nil
        self = log
        unsynced = keepsUnsynced ? [] : nil
    }

    private mutating func wasSynced() {
        tail.wasSynced()
        if unsynced != nil { unsynced = [] }
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
    private let file: FilePieces
    private let unsynced: [UInt8]

    init(_ log: RecordLog) {
        size = log.tail.end
        file = FilePieces(file: log.file)
        unsynced = log.unsynced ?? []
    }

    func read<Value>(
        at offset: Int,
        count: Int,
        _ body: (UnsafeRawBufferPointer) throws -> Value
    ) throws -> Value {
        let start = offset - (size - unsynced.count)
        guard start >= 0 else { return try file.read(at: offset, count: count, body) }
        return try unsynced.withUnsafeBytes {
            try body(UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
        }
    }
}

/// A value that is written as one frame.
protocol FrameCarrying {
    var frame: Frame { get set }
}

extension Frame: FrameCarrying {
    var frame: Frame {
        get { self }
        set { self = newValue }
    }
}
