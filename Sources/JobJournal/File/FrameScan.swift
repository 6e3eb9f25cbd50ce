/// Reads the frames of a file, and finds the end of the whole ones.
///
/// A crash can leave an incomplete frame at the end of the file. If writes are synced, the machine
/// may have stopped before the last write was on the disk. Then any sector of that write may be
/// zeros, and nothing behind it was synced. In an outbox, no frame ends with a zero, so zeros up to
/// the end of the file are cut off, too. Everything else is damage.
struct FrameScan: Sendable {
    struct Found {
        let offset: Int
        let header: Frame.Header

        var payloadOffset: Int { offset + Frame.headerSize }
        var end: Int { payloadOffset + header.count }
    }

    static let sector = 512

    let seal: JournalSeal
    /// The end of the last whole frame.
    var offset: Int
    /// Whether zeros at the end of the file are cut off instead of reported.
    var cutsZeros = false

    /// Returns the next whole frame.
    ///
    /// Nil if the file ends here or a crash has torn the rest.
    mutating func next(_ bytes: inout some ByteSource, isSynced: Bool) throws -> Found? {
        let rest = bytes.size - offset
        guard rest > 0 else { return nil }
        guard rest >= Frame.headerSize else {
            // Only the tag of an incomplete header can be compared.
            let seen = try bytes.read(at: offset, count: min(rest, 4)) { Array($0) }
            guard zip(seen, seal.tag(at: offset).littleEndianBytes).allSatisfy(==) else {
                return try torn(&bytes, isSynced)
            }
            return nil
        }
        let header = try bytes.read(at: offset, count: Frame.headerSize) {
            Frame.Header($0, at: offset, sealedBy: seal)
        }
        guard let header else { return try torn(&bytes, isSynced) }
        guard rest - Frame.headerSize >= header.count else { return nil }
        let found = Found(offset: offset, header: header)
        let isWhole = try bytes.read(at: found.payloadOffset, count: header.count) {
            header.matches($0, sealedBy: seal)
        }
        guard isWhole else { return try torn(&bytes, isSynced) }
        offset = found.end
        return found
    }

    /// Returns nil if a crash explains the damage here, and throws otherwise.
    private func torn(_ bytes: inout some ByteSource, _ isSynced: Bool) throws -> Found? {
        let damage = Damage(offset: offset, reason: .check)
        if cutsZeros, try endsInZeros(&bytes) { return nil }
        guard isSynced else { throw damage }
        var start = (offset + FrameScan.sector - 1) / FrameScan.sector * FrameScan.sector
        var hasZeros = false
        while start + Frame.headerSize <= bytes.size {
            let end = min(start + FrameScan.sector, bytes.size)
            if start + FrameScan.sector <= bytes.size, try bytes.isAllZero(start..<end) {
                hasZeros = true
            } else {
                // Each write begins at the start of a sector. If the header of a later write
                // records that this frame was on the disk, a crash cannot have torn the frame.
                let later = try bytes.read(at: start, count: Frame.headerSize) {
                    Frame.Header($0, at: start, sealedBy: seal)
                }
                if let later, later.synced > offset { throw damage }
            }
            start += FrameScan.sector
        }
        guard hasZeros else { throw damage }
        return nil
    }

    /// Whether zeros follow an incomplete or missing frame up to the end of the file.
    private func endsInZeros(_ bytes: inout some ByteSource) throws -> Bool {
        let written = try bytes.endOfNonzeros(after: offset)
        guard written > offset else { return true }
        guard written > offset + Frame.headerSize else {
            let seen = try bytes.read(at: offset, count: min(written - offset, 4)) { Array($0) }
            return zip(seen, seal.tag(at: offset).littleEndianBytes).allSatisfy(==)
        }
        guard bytes.size - offset >= Frame.headerSize else { return false }
        let header = try bytes.read(at: offset, count: Frame.headerSize) {
            Frame.Header($0, at: offset, sealedBy: seal)
        }
        return header.map { written < offset + Frame.headerSize + $0.count } ?? false
    }
}
