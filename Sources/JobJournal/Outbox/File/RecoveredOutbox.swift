/// The state of an outbox, read from its file.
struct RecoveredOutbox: Sendable {
    /// Nil if nothing was recorded in the file.
    private(set) var seal: JournalSeal?
    private(set) var machine: OutboxStateMachine
    private(set) var session: SessionPayload?
    /// The end of the whole records.
    ///
    /// A crash has torn any bytes after it.
    private(set) var end = 0
    private var time: OutboxStateMachine.Time

    /// Reads a file.
    ///
    /// - Throws: ``Damage``, and the errors of `bytes`.
    init(
        _ bytes: inout some ByteSource,
        name: String,
        isSynced: Bool,
        limit: Int,
        _ time: OutboxStateMachine.Time
    ) throws {
        self.time = time
        machine = OutboxStateMachine(limit: limit)
        let first = try bytes.read(at: 0, count: min(Preamble.size, bytes.size)) { Array($0) }
        switch Preamble.read(first) {
        case .whole(let preamble): seal = preamble.seal
        case .torn: return
        case .laterFormat: throw Damage(offset: 0, reason: .laterFormat)
        case .damaged:
            // The file may consist of the beginning of a preamble, or of nothing, followed by
            // zeros.
            let written = try bytes.endOfNonzeros(after: 0)
            guard written < Preamble.size, zip(first[..<written], Preamble.magic).allSatisfy(==)
            else { throw Damage(offset: 0, reason: .notAJournal) }
            return
        }
        guard let seal else { return }
        var scan = FrameScan(seal: seal, offset: Preamble.size, cutsZeros: true)
        var isNamed = false
        while let frame = try scan.next(&bytes, isSynced: session?.isSynced ?? isSynced) {
            if frame.header.kind == .batch, try !isWhole(frame, &bytes, scan, isSynced) { break }
            try bytes.read(at: frame.payloadOffset, count: frame.header.count) { payload in
                let isFirst = frame.offset == Preamble.size
                let isKnown = isFirst == (frame.header.kind == .outbox)
                if isFirst, isKnown, !payload.dropFirst(8).dropLast().elementsEqual(name.utf8) {
                    throw Damage(offset: 0, reason: .otherJob)
                }
                guard isKnown, apply(frame, payload) else {
                    throw Damage(offset: frame.offset, reason: .contents)
                }
                isNamed = true
            }
            end = frame.end
        }
        guard !isNamed else { return }
        // A crash has torn the file before its first record was whole.
        self.seal = nil
        end = 0
    }

    /// Creates an empty outbox that collects the whole records of a damaged file.
    init(salvagedBy seal: JournalSeal, nextID: UInt64, _ time: OutboxStateMachine.Time) {
        self.seal = seal
        self.time = time
        machine = OutboxStateMachine(limit: 1)
        machine.idsUsed(below: nextID)
    }

    /// Whether all records of a batch are whole.
    private func isWhole(
        _ batch: FrameScan.Found,
        _ bytes: inout some ByteSource,
        _ scan: FrameScan,
        _ isSynced: Bool
    ) throws -> Bool {
        let numbers = try bytes.read(at: batch.payloadOffset, count: batch.header.count) {
            $0.numbers
        }
        guard let count = numbers?.first, count < 1 << 40 else {
            throw Damage(offset: batch.offset, reason: .contents)
        }
        var ahead = scan
        while ahead.offset < batch.end + Int(count) {
            let isSynced = session?.isSynced ?? isSynced
            guard try ahead.next(&bytes, isSynced: isSynced) != nil else { return false }
        }
        return true
    }

    /// Applies a record.
    ///
    /// Returns false if the record does not belong in an outbox.
    mutating func apply(_ frame: FrameScan.Found, _ payload: UnsafeRawBufferPointer) -> Bool {
        guard let seal else { return false }
        switch frame.header.kind {
        case .outbox:
            guard payload.count > 8 else { return false }
            machine.idsUsed(below: payload.little(0))
        case .session:
            guard let session = SessionPayload(payload) else { return false }
            self.session = session
        case .entry:
            let record = OutboxEntryRecord(payload, sealedBy: seal, withItem: false)
            guard let record else { return false }
            let place = RecordIndex.Place(
                offset: frame.offset,
                payloadCount: UInt32(frame.header.count)
            )
            machine.entryAdded(record, at: place, time)
        case .change:
            guard let change = OutboxChangeRecord(payload) else { return false }
            machine.stateChanged(
                change.id,
                change.progress,
                errorAt: change.error == nil ? nil : frame.offset,
                at: time
            )
        case .left:
            guard let ids = payload.numbers else { return false }
            for id in ids { machine.entryLeft(id) }
        case .cleared:
            guard let id = payload.numbers?.first else { return false }
            machine.entriesCleared(below: id)
        case .filler, .copy, .batch: break
        case .journal, .begun, .outcome: return false
        }
        return true
    }

    /// Marks every entry as possibly begun, because records may be missing.
    mutating func markAsBegun() {
        for number in machine.slots.entries() {
            let slot = machine.slots[number]
            var progress = slot.progress
            progress.flags.insert(.mayHaveBegun)
            if progress != slot.progress { machine.stateChanged(slot.id, progress, at: time) }
        }
    }

    mutating func idsLost(_ count: Int) { machine.idsUsed(below: machine.nextID + UInt64(count)) }
}
