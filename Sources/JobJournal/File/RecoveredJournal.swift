/// The contents of a journal's file, read once when it is opened.
struct RecoveredJournal: Sendable {
    /// Nil if nothing was recorded in the file.
    private(set) var seal: JournalSeal?
    private(set) var index = RecordIndex()
    private(set) var session: SessionPayload?
    /// The end of the whole records.
    ///
    /// A crash has torn any bytes after it.
    private(set) var end = 0
    private(set) var headSize = 0

    /// The approximate size of a new file with the same contents.
    var liveBytes: Int {
        headSize + index.outcomeBytes + index.begun.count * (Frame.headerSize + 16)
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - job: The job that it must belong to.
    ///   - isSynced: Whether this session syncs its records. It matters only if the file holds no
    ///     more than its head.
    /// - Throws: ``Damage``, or an error of `bytes`.
    init(_ bytes: inout some ByteSource, job: String, isSynced: Bool) throws {
        let isHeadOnly = isSynced && bytes.size <= RecordTail.headSize(of: job)
        let first = try bytes.read(at: 0, count: min(Preamble.size, bytes.size)) { Array($0) }
        switch Preamble.read(first) {
        case .whole(let preamble): seal = preamble.seal
        case .torn: return
        case .laterFormat: throw Damage(offset: 0, reason: .laterFormat)
        case .damaged:
            guard isHeadOnly, try bytes.isAllZero(0..<bytes.size) else {
                throw Damage(offset: 0, reason: .notAJournal)
            }
            return
        }
        guard let seal else { return }
        var scan = FrameScan(seal: seal, offset: Preamble.size)
        while let frame = try scan.next(&bytes, isSynced: session?.isSynced ?? isHeadOnly) {
            try bytes.read(at: frame.payloadOffset, count: frame.header.count) {
                try add(frame, $0, job)
            }
        }
        end = scan.offset
        guard headSize > 0 else {
            // A crash has torn the file before its first frame was whole.
            self.seal = nil
            end = 0
            return
        }
    }

    private mutating func add(
        _ frame: FrameScan.Found,
        _ payload: UnsafeRawBufferPointer,
        _ job: String
    ) throws {
        let isFirst = frame.offset == Preamble.size
        let damage = Damage(offset: frame.offset, reason: .contents)
        guard isFirst == (frame.header.kind == .journal) else { throw damage }
        switch frame.header.kind {
        case .journal:
            guard payload.elementsEqual(job.utf8) else {
                throw Damage(offset: 0, reason: .otherJob)
            }
            headSize = frame.end
        case .session:
            guard let session = SessionPayload(payload) else { throw damage }
            headSize += self.session == nil ? Frame.headerSize + SessionPayload.size : 0
            self.session = session
        case .begun:
            guard payload.count == 16 else { throw damage }
            index.stepBegan(SipHash.Digest(low: payload.little(0), high: payload.little(8)))
        case .outcome:
            guard try addOutcome(frame, payload) else { throw damage }
        case .filler: break
        case .outbox, .copy, .entry, .change, .left, .cleared, .batch: throw damage
        }
    }

    private mutating func addOutcome(
        _ frame: FrameScan.Found,
        _ payload: UnsafeRawBufferPointer
    ) throws -> Bool {
        guard let seal, let step = RecordedStep(payload, sealedBy: seal) else { return false }
        index.outcomeRecorded(
            step.digest,
            in: step.scopes,
            at: RecordIndex.Place(
                offset: frame.offset,
                payloadCount: UInt32(frame.header.count)
            )
        )
        return true
    }
}

/// Damage that was found in a file, which is left unchanged.
struct Damage: Error, Hashable {
    enum Reason: String {
        case notAJournal = "it is not a journal"
        case laterFormat = "its format is of a later version"
        case otherJob = "it belongs to another job"
        case check = "a check does not hold"
        case contents = "a record has contents that no journal writes"
    }

    let offset: Int
    let reason: Reason
}
