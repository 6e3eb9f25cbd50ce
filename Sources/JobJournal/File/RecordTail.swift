/// Assigns offsets to frames, and creates the records that must precede them.
///
/// If records are synced, each write fills its last sector. Therefore, no later write touches a
/// sector that is already on the disk.
struct RecordTail: Sendable {
    let seal: JournalSeal
    let head: FileHead
    let session: SessionPayload
    private(set) var end: Int
    /// The number of bytes that are known to be on the disk, if records are synced.
    private(set) var synced = 0
    private(set) var hasSession = false
    /// The end of the first records, if this session has written them.
    private var headEnd = 0

    /// Creates the tail of a file with `end` whole bytes.
    init(
        seal: JournalSeal,
        head: FileHead,
        session: SessionPayload,
        end: Int,
        hasSession: Bool = false
    ) {
        self.seal = seal
        self.head = head
        self.session = session
        self.end = end
        self.hasSession = hasSession
    }

    /// The size of a synced file in which nothing is recorded yet.
    static func headSize(of job: String) -> Int {
        let size = Preamble.size + 2 * Frame.headerSize + job.utf8.count + SessionPayload.size
        return size + fillerSize(after: size)
    }

    /// Returns the tail of a new file that replaces this one.
    ///
    /// - Parameter head: The new file's first records. Nil: the same as in this file.
    /// - Returns: The tail.
    func ofNewFile(_ head: FileHead? = nil) -> RecordTail {
        RecordTail(seal: seal, head: head ?? self.head, session: session, end: 0)
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
        var bytes = Preamble(seal: seal).bytes
        end = bytes.count
        for var frame in head.frames(sealedBy: seal) {
            place(&frame)
            bytes += frame.bytes
        }
        headEnd = end
        return bytes + takeSession() + fill()
    }

    /// Returns the first record of the session, unless it was written.
    mutating func takeSession() -> [UInt8] {
        guard !hasSession else { return [] }
        hasSession = true
        var bytes = fill()
        var frame = Frame(.session, session.bytes, sealedBy: seal)
        place(&frame)
        bytes += frame.bytes
        return bytes
    }

    /// Makes the next write contain the session's first record again.
    mutating func beginSessionAgain() { hasSession = false }

    /// Seals a frame for the end of the file.
    mutating func place(_ frame: inout Frame) {
        frame.seal(at: end, synced: synced, by: seal)
        end += frame.size
    }

    /// Returns the padding that ends a write.
    mutating func fill() -> [UInt8] {
        guard session.isSynced, end > headEnd else { return [] }
        let size = RecordTail.fillerSize(after: end)
        guard size > 0 else { return [] }
        var frame = Frame.filler(size, sealedBy: seal)
        place(&frame)
        return frame.bytes
    }

    /// Notes that all written bytes are on the disk.
    mutating func wasSynced() {
        if session.isSynced { synced = end }
    }

    private static func fillerSize(after end: Int) -> Int {
        let rest = (FrameScan.sector - end % FrameScan.sector) % FrameScan.sector
        return rest == 0 || rest > Frame.headerSize ? rest : rest + FrameScan.sector
    }
}
