/// The record of a complete entry.
///
/// It is written for a new entry and by a compaction.
///
/// | bytes | |
/// |---|---|
/// | 0–23 | the id, the position, the time of adding |
/// | 24–71 | the state |
/// | 72–79 | the lengths of the key and of the deduplication id, or all ones for none |
/// | 80–87 | the number of replaced ids, the length of the error or all ones |
/// | 88– | the key, the deduplication id, the replaced ids, the error, the item, a byte |
struct OutboxEntryRecord: Sendable {
    static let headerSize = 88

    var id: UInt64
    var position: UInt64
    var addedAt: Double
    var progress = OutboxProgress()
    var key: String?
    var deduplicationID: String?
    /// The digest that is equal for duplicates.
    ///
    /// Known only for a new entry and for one that was read from the file.
    var duplicate: SipHash.Digest?
    var replaced: [UInt64] = []
    var error: String?
    var item: ArraySlice<UInt8>

    func frame(sealedBy seal: JournalSeal) -> Frame {
        var bytes: [UInt8] = []
        let texts = [key, deduplicationID, error].map { $0.map { Array($0.utf8) } }
        let size = texts.reduce(0) { $0 + ($1?.count ?? 0) } + 8 * replaced.count + item.count
        bytes.reserveCapacity(Self.headerSize + size + 1)
        bytes.append(little: id)
        bytes.append(little: position)
        bytes.append(little: addedAt.bitPattern)
        bytes.append(progress)
        bytes.append(little: texts[0].map { UInt32($0.count) } ?? .max)
        bytes.append(little: texts[1].map { UInt32($0.count) } ?? .max)
        bytes.append(little: UInt32(replaced.count))
        bytes.append(little: texts[2].map { UInt32($0.count) } ?? .max)
        bytes += texts[0] ?? []
        bytes += texts[1] ?? []
        for id in replaced { bytes.append(little: id) }
        bytes += texts[2] ?? []
        bytes += item
        bytes.append(Frame.lastByte)
        return Frame(.entry, bytes, sealedBy: seal)
    }

    /// Reads a record.
    ///
    /// Nil if the bytes are not the payload of an entry.
    init?(_ bytes: UnsafeRawBufferPointer, sealedBy seal: JournalSeal, withItem: Bool = true) {
        guard bytes.count > Self.headerSize, let progress = OutboxProgress(bytes, at: 24) else {
            return nil
        }
        var at = Self.headerSize
        func take(_ length: UInt32) -> UnsafeRawBufferPointer? {
            guard Int(length) < bytes.count - at else { return nil }
            defer { at += Int(length) }
            return UnsafeRawBufferPointer(rebasing: bytes[at..<at + Int(length)])
        }
        let lengths: [UInt32] = [72, 76, 80, 84].map { bytes.little($0) }
        guard let key = take(lengths[0] == .max ? 0 : lengths[0]),
            let deduplicationID = take(lengths[1] == .max ? 0 : lengths[1]),
            lengths[2] < 1 << 28, let replaced = take(8 * lengths[2]),
            let error = take(lengths[3] == .max ? 0 : lengths[3])
        else { return nil }
        id = bytes.little(0)
        position = bytes.little(8)
        addedAt = Double(bitPattern: bytes.little(16))
        self.progress = progress
        self.key = lengths[0] == .max ? nil : String(decoding: key, as: UTF8.self)
        self.deduplicationID =
            lengths[1] == .max ? nil : String(decoding: deduplicationID, as: UTF8.self)
        self.replaced = (0..<Int(lengths[2])).map { replaced.little(8 * $0) }
        self.error = lengths[3] == .max ? nil : String(decoding: error, as: UTF8.self)
        item = withItem ? Array(bytes[at..<bytes.count - 1])[...] : []
        duplicate = self.deduplicationID.map { Self.digest(self.key, $0, sealedBy: seal) }
    }

    init(
        id: UInt64,
        position: UInt64,
        addedAt: Double,
        key: String?,
        deduplicationID: String?,
        item: ArraySlice<UInt8>
    ) {
        self.id = id
        self.position = position
        self.addedAt = addedAt
        self.key = key
        self.deduplicationID = deduplicationID
        self.item = item
    }

    /// Returns the digest that is equal for duplicates.
    static func digest(
        _ key: String?,
        _ deduplicationID: String,
        sealedBy seal: JournalSeal
    ) -> SipHash.Digest {
        var path = StepPath()
        if let key { path = path.appending(key) }
        return seal.digest(.duplicate, path.appending(deduplicationID).bytes)
    }
}

/// The record of an entry's new state, and of the error that caused it.
struct OutboxChangeRecord: Sendable {
    let id: UInt64
    let progress: OutboxProgress
    let error: String?

    init(id: UInt64, progress: OutboxProgress, error: String? = nil) {
        self.id = id
        self.progress = progress
        self.error = error
    }

    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 56, let progress = OutboxProgress(bytes, at: 8) else { return nil }
        id = bytes.little(0)
        self.progress = progress
        error =
            bytes.count == 57 ? nil : String(decoding: bytes[57..<bytes.count - 1], as: UTF8.self)
    }

    func frame(sealedBy seal: JournalSeal) -> Frame {
        var bytes: [UInt8] = []
        bytes.append(little: id)
        bytes.append(progress)
        // This byte marks an error, so that an empty text is an error, too.
        if let error { bytes += [Frame.lastByte] + error.utf8 }
        bytes.append(Frame.lastByte)
        return Frame(.change, bytes, sealedBy: seal)
    }
}

extension Frame {
    /// Creates a record that consists of numbers, such as ids.
    init(_ kind: Kind, numbers: [UInt64], sealedBy seal: JournalSeal) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 * numbers.count + 1)
        for number in numbers { bytes.append(little: number) }
        bytes.append(Frame.lastByte)
        self.init(kind, bytes, sealedBy: seal)
    }
}

extension UnsafeRawBufferPointer {
    /// The numbers of a record that consists of numbers.
    ///
    /// Nil for any other record.
    var numbers: [UInt64]? {
        guard count % 8 == 1 else { return nil }
        return (0..<count / 8).map { little(8 * $0) }
    }
}

extension OutboxProgress {
    /// Reads the 48 bytes of a state.
    fileprivate init?(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        func double(_ at: Int) -> Double { Double(bitPattern: bytes.little(offset + at)) }
        flags = Flags(rawValue: bytes.little(offset))
        failures = bytes.little(offset + 4)
        charged = bytes.little(offset + 8)
        uncharged = bytes.little(offset + 12)
        interruptions = bytes.little(offset + 16)
        (delayUntil, delayLength, notBefore) = (double(24), double(32), double(40))
        guard !delayUntil.isNaN, !delayLength.isNaN, !notBefore.isNaN else { return nil }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ progress: OutboxProgress) {
        append(little: progress.flags.rawValue)
        append(little: progress.failures)
        append(little: progress.charged)
        append(little: progress.uncharged)
        append(little: progress.interruptions)
        append(little: UInt32(0))
        append(little: progress.delayUntil.bitPattern)
        append(little: progress.delayLength.bitPattern)
        append(little: progress.notBefore.bitPattern)
    }
}
