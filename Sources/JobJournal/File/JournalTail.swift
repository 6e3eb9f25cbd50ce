/// The end of a journal's file: gives each frame its place, and says what stands before the first
/// frame of a life.
///
/// Where records are synced, each write fills its last sector, so that no later write touches a
/// sector that is already on the disk.
struct JournalTail: Sendable {
    let seal: JournalSeal
    let job: String
    let life: LifePayload
    private(set) var end: Int
    /// How much of the file is known to be on the disk, where records are synced.
    private(set) var synced = 0
    private(set) var hasLife = false

    /// The tail of a file of which `end` bytes are whole.
    init(seal: JournalSeal, job: String, life: LifePayload, end: Int, hasLife: Bool = false) {
        self.seal = seal
        self.job = job
        self.life = life
        self.end = end
        self.hasLife = hasLife
    }

    /// The size of a synced file in which nothing is recorded yet.
    static func headSize(of job: String) -> Int {
        let size = Preamble.size + 2 * Frame.headerSize + job.utf8.count + LifePayload.size
        return size + fillerSize(after: size)
    }

    /// Whether what is there must be on the disk before more is added.
    var mustBeSynced: Bool { life.isSynced && (!hasLife || synced == 0) }

    /// What stands at the beginning of a new file, up to its first life; empty of any other.
    mutating func takeHead() -> [UInt8] {
        guard end == 0 else { return [] }
        var bytes = Preamble(seal: seal).bytes
        end = bytes.count
        var frame = Frame(.journal, Array(job.utf8), sealedBy: seal)
        _ = place(&frame)
        bytes += frame.bytes
        return bytes + takeLife() + fill()
    }

    /// What a life writes before its first record, if it has not done so.
    mutating func takeLife() -> [UInt8] {
        guard !hasLife else { return [] }
        hasLife = true
        var bytes = fill()
        var frame = Frame(.life, life.bytes, sealedBy: seal)
        _ = place(&frame)
        bytes += frame.bytes
        return bytes
    }

    /// Has the life written once more.
    mutating func beginLifeAgain() { hasLife = false }

    /// Seals a frame for the end of the file, and returns its offset.
    mutating func place(_ frame: inout Frame) -> Int {
        let offset = end
        frame.seal(at: offset, synced: synced, by: seal)
        end += frame.size
        return offset
    }

    /// What ends a write.
    mutating func fill() -> [UInt8] {
        guard life.isSynced, end > Preamble.size + Frame.headerSize + job.utf8.count else {
            return []
        }
        let size = JournalTail.fillerSize(after: end)
        guard size > 0 else { return [] }
        var frame = Frame.filler(size, sealedBy: seal)
        _ = place(&frame)
        return frame.bytes
    }

    /// All that was written is on the disk.
    mutating func wasSynced() {
        if life.isSynced { synced = end }
    }

    private static func fillerSize(after end: Int) -> Int {
        let rest = (FrameScan.sector - end % FrameScan.sector) % FrameScan.sector
        return rest == 0 || rest >= Frame.headerSize ? rest : rest + FrameScan.sector
    }
}
