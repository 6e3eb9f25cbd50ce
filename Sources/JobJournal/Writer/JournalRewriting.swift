/// Writes a file anew, without what nothing can ask for: outcomes that later ones replaced, the
/// beginnings of steps that have succeeded, earlier lives, and fillers.
struct JournalRewriting {
    private let found: RecoveredJournal
    private let seal: JournalSeal
    private let job: String
    private let life: LifePayload

    init(_ found: RecoveredJournal, seal: JournalSeal, job: String, life: LifePayload) {
        self.found = found
        self.seal = seal
        self.job = job
        self.life = life
    }

    /// Whether more than half of the file is dead.
    var isWorthIt: Bool {
        // A synced file is filled to its sector before the last life and after it.
        let live = found.liveBytes + (life.isSynced ? 3 * FrameScan.sector : 0)
        return found.seal != nil && found.end > 2 * live
    }

    /// Writes a file beside the old one, which it then replaces.
    func write(
        _ folder: JournalFolder,
        _ name: JournalFileName,
        reading bytes: inout FileBytes
    ) throws -> (OpenFile, RecordIndex, JournalTail) {
        let file = try folder.create(name.temporary)
        guard try file.lock() else { throw systemError() }
        var tail = JournalTail(seal: seal, job: job, life: life, end: 0)
        var index = RecordIndex()
        index.reserve(found.index.count)
        var output = Output(file)
        try output.put(tail.takeHead())
        for step in found.index.begun {
            var frame = Frame(.begun, step.bytes, sealedBy: seal)
            _ = tail.place(&frame)
            try output.put(frame.bytes)
            index.stepBegan(step)
        }
        for place in found.index.places.values.sorted(by: { $0.offset < $1.offset }) {
            try copy(place, from: &bytes, &output, &tail, &index)
        }
        if life.isSynced {
            // A frame of a later write: nothing before it can be taken for torn.
            try output.put(tail.fill())
            tail.wasSynced()
            tail.beginLifeAgain()
            try output.put(tail.takeLife() + tail.fill())
        }
        try output.flush()
        try file.sync()
        try folder.handle.rename(name.temporary, to: name.text)
        if life.isSynced { try folder.handle.syncEntries() }
        return (file, index, tail)
    }

    private func copy(
        _ place: RecordIndex.Place,
        from bytes: inout FileBytes,
        _ output: inout Output,
        _ tail: inout JournalTail,
        _ index: inout RecordIndex
    ) throws {
        let damage = Damage(offset: place.offset, reason: .check)
        try bytes.read(at: place.offset, count: place.size) { all in
            let payload = UnsafeRawBufferPointer(rebasing: all[Frame.headerSize...])
            guard let header = Frame.Header(all, at: place.offset, sealedBy: seal),
                header.payloadCheck == seal.digest(.payload, payload).low,
                let step = RecordedStep(payload, sealedBy: seal)
            else { throw damage }
            var frame = Frame(.outcome, count: payload.count, sealedBy: seal) {
                $0.copyMemory(from: payload)
            }
            let offset = tail.place(&frame)
            try output.put(frame.bytes)
            index.outcomeRecorded(
                step.digest,
                in: step.scopes,
                at: RecordIndex.Place(offset: offset, payloadCount: place.payloadCount)
            )
        }
    }

    /// Collects small frames into large writes.
    private struct Output {
        private let file: OpenFile
        private var waiting: [UInt8] = []
        private var end = 0

        init(_ file: OpenFile) { self.file = file }

        mutating func put(_ bytes: [UInt8]) throws {
            waiting += bytes
            if waiting.count >= 1 << 20 { try flush() }
        }

        mutating func flush() throws {
            try file.write(waiting, at: end)
            end += waiting.count
            waiting.removeAll(keepingCapacity: true)
        }
    }
}
