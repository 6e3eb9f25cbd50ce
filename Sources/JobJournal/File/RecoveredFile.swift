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
        apply: (Record.Kind, UnsafeRawBufferPointer, RecordLocation, FileKey) -> Bool
    ) throws {
        let isHeadOnly = isSynced && bytes.size <= RecordTail.headSize(head, isSynced: true)
        guard let fileKey = try Self.fileKey(of: &bytes, head, isHeadOnly) else { return }
        var scan = RecordScan(
            fileKey: fileKey,
            offset: Preamble.size,
            cutsZeros: head.cutsZeros
        )
        while let found = try scan.next(&bytes, isSynced: session?.isSynced ?? isHeadOnly) {
            let kind = found.header.kind
            let damage = Damage(offset: found.offset, reason: .contents)
            if kind == .batch {
                guard head.cutsZeros else { throw damage }
                guard try isWhole(found, &bytes, scan) else { break }
            }
            try bytes.read(at: found.payloadOffset, count: found.header.count) { payload in
                guard (kind == head.firstKind) == (found.offset == Preamble.size) else {
                    throw damage
                }
                if kind == head.firstKind, !head.isNamed(in: payload) {
                    throw Damage(offset: 0, reason: .otherJob)
                }
                if kind == .session { session = SessionPayload(payload) }
                guard kind != .session || session != nil,
                    apply(kind, payload, found.location, fileKey)
                else { throw damage }
            }
            end = found.end
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

    /// Whether all records of a batch are whole.
    private func isWhole(
        _ batch: RecordScan.Found,
        _ bytes: inout some ByteSource,
        _ scan: RecordScan
    ) throws -> Bool {
        let count = try bytes.read(at: batch.payloadOffset, count: batch.header.count) {
            $0.numbers?.first
        }
        guard let count, count < 1 << 40 else {
            throw Damage(offset: batch.offset, reason: .contents)
        }
        var ahead = scan
        while ahead.offset < batch.end + Int(count) {
            let next = try ahead.next(&bytes, isSynced: session?.isSynced ?? false)
            guard next != nil else { return false }
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
