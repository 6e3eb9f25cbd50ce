/// The payload of an entry's record.
///
/// A record of the kind `entry` has a complete entry. It is written for a new entry and by a
/// compaction. A record of the kind `change` has the new state of an entry, and the error that
/// caused it.
///
/// | bytes | |
/// |---|---|
/// | 0–71 | the id, the position, the time of adding and the state |
/// | 72–87 | the lengths of the parts that follow, except the item, or all ones for none |
/// | 88– | the key, the deduplication ID, the replaced ids, the error, the item, a byte |
struct OutboxEntryPayload: Sendable {
    static let headerSize = MemoryLayout<Header>.size

    /// The first bytes of the payload, which are the same in memory and in the file.
    private struct Header: BitwiseCopyable {
        var id: UInt64
        var position: UInt64
        var addedAt: Double
        var progress: OutboxProgress
        var keyCount: UInt32
        var deduplicationIDCount: UInt32
        var replacedCount: UInt32
        var errorCount: UInt32
    }

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
    var item: ArraySlice<UInt8> = []

    func record(_ kind: Record.Kind = .entry, with fileKey: FileKey) -> Record {
        func count(_ text: String?) -> UInt32 { text.map { UInt32($0.utf8.count) } ?? .max }
        let header = Header(
            id: id,
            position: position,
            addedAt: addedAt,
            progress: progress,
            keyCount: count(key),
            deduplicationIDCount: count(deduplicationID),
            replacedCount: UInt32(replaced.count),
            errorCount: count(error)
        )
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.headerSize + item.count + 256)
        withUnsafeBytes(of: header) { bytes.append(contentsOf: $0) }
        if let key { bytes.append(contentsOf: key.utf8) }
        if let deduplicationID { bytes.append(contentsOf: deduplicationID.utf8) }
        for id in replaced { bytes.append(little: id) }
        if let error { bytes.append(contentsOf: error.utf8) }
        bytes.append(contentsOf: item)
        bytes.append(Record.lastByte)
        return Record(kind, bytes, with: fileKey)
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
    init?(_ record: FoundRecord, withItem: Bool = false) {
        let bytes = record.payload
        guard bytes.count > Self.headerSize else { return nil }
        let header = bytes.loadUnaligned(as: Header.self)
        var rest = bytes[Self.headerSize..<bytes.count - 1]
        var isWhole = true
        func take(_ count: Int) -> Slice<UnsafeRawBufferPointer> {
            if count > rest.count { isWhole = false }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        func text(_ count: UInt32) -> String? {
            count == .max ? nil : String(decoding: take(Int(count)), as: UTF8.self)
        }
        (id, position, addedAt) = (header.id, header.position, header.addedAt)
        progress = header.progress
        key = text(header.keyCount)
        deduplicationID = text(header.deduplicationIDCount)
        let ids = UnsafeRawBufferPointer(rebasing: take(8 * Int(header.replacedCount)))
        replaced = stride(from: 0, to: ids.count - 7, by: 8).map { ids.little($0) }
        error = text(header.errorCount)
        item = withItem ? Array(rest)[...] : []
        guard isWhole else { return nil }
        duplicate = deduplicationID.map { Self.digest(key, $0, with: record.fileKey) }
    }
}

extension Record {
    /// Creates a record that consists of numbers, such as ids.
    init(_ kind: Kind, numbers: [UInt64], with fileKey: FileKey) {
        let bytes = numbers.flatMap { [UInt8](little: $0) }
        self.init(kind, bytes + [Record.lastByte], with: fileKey)
    }
}

extension FoundRecord {
    /// The numbers of a record that consists of numbers.
    ///
    /// Nil for any other record.
    var numbers: [UInt64]? {
        guard payload.count % 8 == 1 else { return nil }
        return (0..<payload.count / 8).map { payload.little(8 * $0) }
    }
}
