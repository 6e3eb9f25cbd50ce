/// A whole record that was read from a file.
struct FoundRecord {
    let kind: Record.Kind
    let payload: UnsafeRawBufferPointer
    var location: RecordLocation
    /// The key of the file.
    let fileKey: FileKey
}

/// Reads the records of a file, and finds the end of the whole ones.
///
/// A crash can leave an incomplete record at the end of the file. If writes are synced, the machine
/// may have stopped before the last write was on the disk. Then any sector of that write may be
/// zeros, and nothing behind it was synced. In an outbox, no record ends with a zero, so zeros up
/// to the end of the file are cut off, too. Everything else is damage.
struct RecordScan: Sendable {
    static let sector = 512

    let fileKey: FileKey
    /// The end of the last whole record.
    var offset: Int
    /// Whether zeros at the end of the file are cut off instead of reported.
    var cutsZeros = false

    /// Passes the next whole record to `body`.
    ///
    /// - Returns: False if the file ends here, or with a torn write.
    mutating func next(
        _ bytes: inout some ByteSource,
        isSynced: Bool,
        _ body: (FoundRecord) throws -> Void = { _ in }
    ) throws -> Bool {
        let rest = bytes.size - offset
        guard rest > 0 else { return false }
        guard rest >= Record.headerSize else {
            if try !isBeginning(&bytes, count: rest) { try checkTornWrite(&bytes, isSynced) }
            return false
        }
        guard let header = try header(&bytes, at: offset) else {
            try checkTornWrite(&bytes, isSynced)
            return false
        }
        let location = RecordLocation(offset: offset, payloadCount: UInt32(header.count))
        guard rest >= location.size else { return false }
        guard try bytes.record(at: location, with: fileKey, body) != nil else {
            try checkTornWrite(&bytes, isSynced)
            return false
        }
        offset += location.size
        return true
    }

    private func header(_ bytes: inout some ByteSource, at offset: Int) throws -> Record.Header? {
        try bytes.read(at: offset, count: Record.headerSize) {
            Record.Header($0, at: offset, with: fileKey)
        }
    }

    /// Whether an incomplete header here may be the beginning of a record.
    ///
    /// Only its tag can be compared.
    private func isBeginning(_ bytes: inout some ByteSource, count: Int) throws -> Bool {
        let tag = [UInt8](little: fileKey.tag(at: offset))
        return try bytes.read(at: offset, count: min(count, 4)) { zip($0, tag).allSatisfy(==) }
    }

    /// Throws ``Damage`` unless a torn write explains the damage here.
    private func checkTornWrite(_ bytes: inout some ByteSource, _ isSynced: Bool) throws {
        let damage = Damage(offset: offset, reason: .check)
        if cutsZeros, try endsInZeros(&bytes) { return }
        guard isSynced else { throw damage }
        var start = (offset + RecordScan.sector - 1) / RecordScan.sector * RecordScan.sector
        var hasZeros = false
        while start + Record.headerSize <= bytes.size {
            let end = min(start + RecordScan.sector, bytes.size)
            if start + RecordScan.sector <= bytes.size, try bytes.isAllZero(start..<end) {
                hasZeros = true
            } else if let later = try header(&bytes, at: start), later.synced > offset {
                // Each write begins at the start of a sector. The header of a later write records
                // that this record was on the disk, so no crash can have torn it.
                throw damage
            }
            start += RecordScan.sector
        }
        guard hasZeros else { throw damage }
    }

    /// Whether zeros follow an incomplete or missing record up to the end of the file.
    private func endsInZeros(_ bytes: inout some ByteSource) throws -> Bool {
        let written = try bytes.endOfNonzeros(after: offset)
        guard written > offset else { return true }
        guard written > offset + Record.headerSize else {
            return try isBeginning(&bytes, count: written - offset)
        }
        guard let header = try header(&bytes, at: offset) else { return false }
        return written < offset + Record.headerSize + header.count
    }
}
