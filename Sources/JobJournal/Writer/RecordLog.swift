/// The end of a file of records, and the only code that writes there.
///
/// The thread that has the turn uses a copy. It stores the copy when all that it wrote counts.
struct RecordLog: Sendable {
    private(set) var tail: RecordTail
    let file: OpenFile
    /// Bytes that have their offsets and are not written.
    private var pending: [UInt8] = []

    init(_ tail: RecordTail, _ file: OpenFile) {
        self.tail = tail
        self.file = file
    }

    /// Whether the file must be synced before records are added.
    var mustBeSynced: Bool { tail.mustBeSynced }

    /// Writes records in one go and gives each its offset.
    ///
    /// The beginning of the file and of the session come first, if they are missing.
    mutating func append(_ records: inout [some FrameCarrying]) throws {
        addBeginning()
        if pending.isEmpty, records.count == 1, !tail.fillsSectors {
            tail.place(&records[0].frame)
            return try file.write(records[0].frame.bytes, at: records[0].frame.offset)
        }
        for at in records.indices { try add(&records[at].frame) }
        try finish()
    }

    /// Gives a record its offset.
    ///
    /// It may be written later, at the latest by ``finish()``.
    mutating func add(_ frame: inout Frame) throws {
        addBeginning()
        tail.place(&frame)
        pending += frame.bytes
        if pending.count > 1 << 20 { try write() }
    }

    /// Writes all that was added.
    mutating func finish() throws {
        addBeginning()
        pending += tail.fill()
        try write()
    }

    /// Makes all that was written survive a power cut.
    mutating func sync() throws {
        try file.sync()
        tail.wasSynced()
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
        tail.wasSynced()
    }

    /// Ends a file that replaces another one and will be synced as a whole.
    ///
    /// A frame of a later write follows, so that nothing before it can be taken for torn.
    mutating func finishReplacement() throws {
        try finish()
        guard tail.fillsSectors else { return }
        tail.wasSynced()
        tail.beginSessionAgain()
        try finish()
    }

    private mutating func addBeginning() {
        let beginning = tail.takeHead() + tail.takeSession()
        if !beginning.isEmpty { pending += beginning }
    }

    private mutating func write() throws {
        guard !pending.isEmpty else { return }
        try file.write(pending, at: tail.end - pending.count)
        pending.removeAll(keepingCapacity: true)
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
