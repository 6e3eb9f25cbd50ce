/// Assigns offsets to records, and creates the records that must precede them.
///
/// If records are synced, each write fills its last sector. Therefore, no later write touches a
/// sector that is already on the disk. This includes writes that are not synced yet, because the
/// system may have written their sectors. If a power cut left such a sector with an old end, its
/// zeros would be damage, because they do not fill the sector.
struct RecordTail: Sendable {
    let fileKey: FileKey
    let head: FileHead
    let session: SessionPayload
    private(set) var end: Int
    /// The number of bytes that are known to be on the disk, if records are synced.
    private(set) var synced = 0
    private var hasSession = false
    /// The end of the first records, if this session has written them.
    private var headEnd = 0

    /// Creates the tail of a file with `end` whole bytes.
    init(fileKey: FileKey, head: FileHead, session: SessionPayload, end: Int) {
        self.fileKey = fileKey
        self.head = head
        self.session = session
        self.end = end
    }

    /// The size of a file in which nothing is recorded yet.
    static func headSize(_ head: FileHead, isSynced: Bool) -> Int {
        let session = SessionPayload(isSynced: isSynced, isInDoubt: false, bootID: nil)
        var tail = RecordTail(fileKey: .random(), head: head, session: session, end: 0)
        return tail.takeHead().count
    }

    /// Returns the tail of a new file that replaces this one.
    ///
    /// - Parameter head: The new file's first records. Nil: the same as in this file.
    /// - Returns: The tail.
    func ofNewFile(_ head: FileHead? = nil) -> RecordTail {
        RecordTail(fileKey: fileKey, head: head ?? self.head, session: session, end: 0)
    }

    /// Whether each write fills its last sector.
    var fillsSectors: Bool { session.isSynced }

    /// Whether the file must be synced before records are added.
    var mustBeSynced: Bool { session.isSynced && (!hasSession || synced == 0) }

    /// Returns the beginning of a new file, up to its first session.
    ///
    /// Returns nothing for any other file.
    mutating func takeHead() -> [UInt8] {
        guard end == 0 else { return [] }
        var bytes = Preamble(fileKey: fileKey).bytes
        end = bytes.count
        for record in head.records(with: fileKey) { bytes += placed(record) }
        headEnd = end
        return bytes + takeSession() + fill()
    }

    /// Returns the first record of the session, unless it was written.
    mutating func takeSession() -> [UInt8] {
        guard !hasSession else { return [] }
        hasSession = true
        return fill() + placed(Record(.session, session.bytes, with: fileKey))
    }

    /// Makes the next write contain the session's first record again.
    mutating func beginSessionAgain() { hasSession = false }

    /// Assigns the end of the file to a record as its offset.
    mutating func assignOffset(to record: inout Record) {
        record.complete(at: end, synced: synced, with: fileKey)
        end += record.size
    }

    private mutating func placed(_ record: Record) -> [UInt8] {
        var record = record
        assignOffset(to: &record)
        return record.bytes
    }

    /// Returns the padding that ends a write.
    mutating func fill() -> [UInt8] {
        guard session.isSynced, end > headEnd else { return [] }
        var size = (RecordScan.sector - end % RecordScan.sector) % RecordScan.sector
        guard size > 0 else { return [] }
        if size <= Record.headerSize { size += RecordScan.sector }
        return placed(.filler(size, with: fileKey))
    }

    /// Notes that all written bytes are on the disk.
    mutating func wasSynced() {
        if session.isSynced { synced = end }
    }
}
