/// The result of reading a file's records, once when it is opened.
struct RecoveredFile: Sendable {
    /// Nil if nothing was recorded in the file.
    private(set) var fileKey: FileKey?
    private(set) var session: SessionPayload?
    /// The end of the whole records.
    ///
    /// A crash has torn any bytes after it.
    private(set) var end = 0

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - head: The first records that it must begin with.
    ///   - isSynced: Whether this session syncs its records. It matters only if the file holds no
    ///     more than its head.
    ///   - apply: Applies a record. Returns false if such a record does not belong in the file.
    /// - Throws: ``Damage``, or an error of `bytes`.
    init(
        _ bytes: inout some ByteSource,
        _ head: FileHead,
        isSynced: Bool,
        apply: (FoundRecord) -> Bool
    ) throws {
        let isHeadOnly = isSynced && bytes.size <= RecordTail.headSize(head, isSynced: true)
        guard let fileKey = try Self.fileKey(of: &bytes, head, isHeadOnly) else { return }
        var scan = RecordScan(
            fileKey: fileKey,
            offset: Preamble.size,
            cutsZeros: head.cutsZeros
        )
        while true {
            var batchSize = 0
            let isFound = try scan.next(&bytes, isSynced: session?.isSynced ?? isHeadOnly) {
                record in
                let damage = Damage(offset: record.location.offset, reason: .contents)
                let isFirst = record.location.offset == Preamble.size
                guard (record.kind == head.firstKind) == isFirst else { throw damage }
                if isFirst, !head.isNamed(in: record.payload) {
                    throw Damage(offset: 0, reason: .otherJob)
                }
                if record.kind == .session { session = SessionPayload(record.payload) }
                guard record.kind != .session || session != nil, apply(record) else {
                    throw damage
                }
                if record.kind == .batch {
                    guard let size = record.numbers?.first, size < 1 << 40 else { throw damage }
                    batchSize = Int(size)
                }
            }
            guard isFound, try isWhole(batchSize, &bytes, scan) else { break }
            end = scan.offset
        }
        // Without a whole first record, nothing was ever recorded.
        if end > 0 { self.fileKey = fileKey }
    }

    /// Reads the preamble.
    ///
    /// Nil if the file is empty, or a crash has torn its first write.
    private static func fileKey(
        of bytes: inout some ByteSource,
        _ head: FileHead,
        _ isHeadOnly: Bool
    ) throws -> FileKey? {
        let first = try bytes.read(at: 0, count: min(Preamble.size, bytes.size)) { Array($0) }
        switch Preamble.read(first) {
        case .whole(let fileKey): return fileKey
        case .torn: return nil
        case .laterFormat: throw Damage(offset: 0, reason: .laterFormat)
        case .damaged:
            let written = try bytes.endOfNonzeros(after: 0)
            // In an outbox, zeros may follow the beginning of the preamble.
            let isTorn =
                head.cutsZeros
                ? written < Preamble.size && zip(first[..<written], Preamble.magic).allSatisfy(==)
                : written == 0 && isHeadOnly
            guard isTorn else { throw Damage(offset: 0, reason: .notAJournal) }
            return nil
        }
    }

    /// Whether all records of a batch are whole, which `scan` has reached.
    private func isWhole(
        _ size: Int,
        _ bytes: inout some ByteSource,
        _ scan: RecordScan
    ) throws -> Bool {
        var ahead = scan
        while ahead.offset < scan.offset + size {
            guard try ahead.next(&bytes, isSynced: session?.isSynced ?? false) else { return false }
        }
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
