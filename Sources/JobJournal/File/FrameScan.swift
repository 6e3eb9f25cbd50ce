/// Walks over the frames of a file, and decides where they end.
///
/// What a crash can leave is a beginning of a frame at the end of the file. Where writes are
/// synced, the machine itself may have gone down before the last one was on the disk, and any of
/// its sectors may be missing: then they are zeros, and nothing that follows was synced later.
/// Everything else is damage.
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

    /// The next whole frame; nil where the file ends, or was torn.
    mutating func next(_ bytes: inout some ByteSource, isSynced: Bool) throws -> Found? {
        let rest = bytes.size - offset
        guard rest > 0 else { return nil }
        guard rest >= Frame.headerSize else {
            // Of a header that is not all there, the tag is what can be compared.
            let seen = try bytes.read(at: offset, count: min(rest, 4)) { Array($0) }
            let tag = seal.tag(at: offset)
            let expected = (0..<4).map { UInt8(truncatingIfNeeded: tag >> (8 * $0)) }
            guard zip(seen, expected).allSatisfy(==) else { return try torn(&bytes, isSynced) }
            return nil
        }
        let header = try bytes.read(at: offset, count: Frame.headerSize) {
            Frame.Header($0, at: offset, sealedBy: seal)
        }
        guard let header else { return try torn(&bytes, isSynced) }
        guard rest - Frame.headerSize >= header.count else { return nil }
        let found = Found(offset: offset, header: header)
        let check = try bytes.read(at: found.payloadOffset, count: header.count) {
            seal.digest(.payload, $0).low
        }
        guard check == header.payloadCheck else { return try torn(&bytes, isSynced) }
        offset = found.end
        return found
    }

    /// Nil where the frame here may be of the last write before a power cut.
    private func torn(_ bytes: inout some ByteSource, _ isSynced: Bool) throws -> Found? {
        let damage = Damage(offset: offset, reason: .check)
        guard isSynced else { throw damage }
        var start = (offset + FrameScan.sector - 1) / FrameScan.sector * FrameScan.sector
        var hasZeros = false
        while start + Frame.headerSize <= bytes.size {
            let end = min(start + FrameScan.sector, bytes.size)
            if start + FrameScan.sector <= bytes.size, try bytes.isAllZero(start..<end) {
                hasZeros = true
            } else {
                // A write begins with a sector: one that was synced behind this frame proves that
                // this frame was on the disk.
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
}
