/// The payload of a complete entry's record.
///
/// It is written for a new entry and by a compaction.
///
/// | bytes | |
/// |---|---|
/// | 0–23 | the id, the position, the time of adding |
/// | 24–71 | the state |
/// | 72–79 | the lengths of the key and of the deduplication ID, or all ones for none |
/// | 80–87 | the number of replaced ids, the length of the error or all ones |
/// | 88– | the key, the deduplication ID, the replaced ids, the error, the item, a byte |
struct OutboxEntryPayload: Sendable {
    static let headerSize = 88

    /// 0 for an item that is not added yet, and so are the position and the time.
    var id: UInt64 = 0
    var position: UInt64 = 0
    var addedAt = 0.0
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

    func record(with fileKey: FileKey) -> Record {
        let texts = [key, deduplicationID, error].map { $0.map { Array($0.utf8) } }
        let lengths = texts.map { $0.map { UInt32($0.count) } ?? .max }
        let size = texts.reduce(0) { $0 + ($1?.count ?? 0) } + 8 * replaced.count + item.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.headerSize + size + 1)
        bytes.append(little: id)
        bytes.append(little: position)
        bytes.append(little: addedAt.bitPattern)
        bytes.append(progress)
        for number in [lengths[0], lengths[1], UInt32(replaced.count), lengths[2]] {
            bytes.append(little: number)
        }
        bytes += texts[0] ?? []
        bytes += texts[1] ?? []
        for id in replaced { bytes.append(little: id) }
        bytes += texts[2] ?? []
        bytes += item
        bytes.append(Record.lastByte)
        return Record(.entry, bytes, with: fileKey)
    }

    /// Returns the digest that is equal for duplicates.
    static func digest(
        _ key: String?,
        _ deduplicationID: String,
        with fileKey: FileKey
    ) -> SipHash.Digest {
        let path = key.map { StepPath().appending($0) } ?? StepPath()
        return fileKey.digest(.duplicate, path.appending(deduplicationID).bytes)
    }
}

extension OutboxEntryPayload {
    /// Reads a payload.
    ///
    /// Nil if the bytes are not the payload of an entry.
    init?(_ bytes: UnsafeRawBufferPointer, with fileKey: FileKey, withItem: Bool = true) {
        guard bytes.count > Self.headerSize else { return nil }
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
        func text(_ bytes: UnsafeRawBufferPointer, _ length: UInt32) -> String? {
            length == .max ? nil : String(decoding: bytes, as: UTF8.self)
        }
        id = bytes.little(0)
        position = bytes.little(8)
        addedAt = Double(bitPattern: bytes.little(16))
        progress = bytes.progress(at: 24)
        self.key = text(key, lengths[0])
        self.deduplicationID = text(deduplicationID, lengths[1])
        self.replaced = (0..<Int(lengths[2])).map { replaced.little(8 * $0) }
        self.error = text(error, lengths[3])
        item = withItem ? Array(bytes[at..<bytes.count - 1])[...] : []
        duplicate = self.deduplicationID.map { Self.digest(self.key, $0, with: fileKey) }
    }
}

/// The payload of an entry's new state, and of the error that caused it.
struct OutboxChangePayload: Sendable {
    let id: UInt64
    let progress: OutboxProgress
    var error: String?

    func record(with fileKey: FileKey) -> Record {
        var bytes = [UInt8](little: id)
        bytes.append(progress)
        // This byte marks an error, so that an empty text is an error, too.
        if let error { bytes += [Record.lastByte] + error.utf8 }
        bytes.append(Record.lastByte)
        return Record(.change, bytes, with: fileKey)
    }
}

extension OutboxChangePayload {
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 56 else { return nil }
        id = bytes.little(0)
        progress = bytes.progress(at: 8)
        if bytes.count > 57 { error = String(decoding: bytes[57..<bytes.count - 1], as: UTF8.self) }
    }
}

extension Record {
    /// Creates a record that consists of numbers, such as ids.
    init(_ kind: Kind, numbers: [UInt64], with fileKey: FileKey) {
        let bytes = numbers.flatMap { [UInt8](little: $0) }
        self.init(kind, bytes + [Record.lastByte], with: fileKey)
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

    fileprivate func progress(at offset: Int) -> OutboxProgress {
        loadUnaligned(fromByteOffset: offset, as: OutboxProgress.self)
    }
}

extension [UInt8] {
    /// Appends the 48 bytes of a state, which are the same in memory and in the file.
    fileprivate mutating func append(_ progress: OutboxProgress) {
        Swift.withUnsafeBytes(of: progress) { append(contentsOf: $0) }
    }
}
