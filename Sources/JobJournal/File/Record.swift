/// A record of a file: a header of 32 bytes and a payload.
///
/// | bytes | |
/// |---|---|
/// | 0–3 | the tag of the record's offset |
/// | 4–7 | the check of bytes 8–31, and of the offset |
/// | 8–11 | the payload's length |
/// | 12–15 | the kind and three zero bytes |
/// | 16–23 | how many bytes of the file were on the disk before this record was written, or 0 |
/// | 24–31 | the check of the payload |
///
/// All numbers are little-endian. Each check depends on the file's random key, and the check of a
/// header depends on its offset, too. Therefore, a record that is missing, duplicated, moved or
/// copied from another file is detected as reliably as a flipped bit.
struct Record: Sendable {
    static let headerSize = 32
    static let longestPayload = 128 << 20
    /// The last byte of each outbox record, which is nonzero even if one bit flips.
    static let lastByte: UInt8 = 0xa5

    enum Kind: UInt8 {
        /// The job's id. The first record of a journal.
        case journal = 1
        /// The beginning of a session.
        case session
        /// The digest of a step that begins.
        case begun
        /// A step that has succeeded.
        case outcome
        /// Padding up to the end of a sector.
        case filler
        /// The name of an outbox and its next id. The first record of an outbox.
        case outbox
        /// A second copy of the preamble and of the next id.
        case copy
        /// A complete entry of an outbox.
        case entry
        /// The changed state of an entry.
        case change
        /// The ids of entries that have left the outbox.
        case left
        /// All entries with ids below this one have left.
        case cleared
        /// The length of the records that follow. They count only if all of them are whole.
        case batch
    }

    /// The bytes of the header and the payload.
    ///
    /// ``complete(at:synced:with:)`` sets the parts of the header that depend on the offset.
    private(set) var bytes: [UInt8]
    /// The offset in the file, once the header is complete.
    private(set) var offset = 0

    var size: Int { bytes.count }

    var location: RecordLocation {
        RecordLocation(offset: offset, payloadCount: UInt32(size - Record.headerSize))
    }

    /// Creates a record with a payload that `fill` writes.
    init(
        _ kind: Kind,
        count: Int,
        with fileKey: FileKey,
        fill: (UnsafeMutableRawBufferPointer) -> Void
    ) {
        let size = Record.headerSize + count
        bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, initializedCount in
            let all = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: size)
            let payload = UnsafeMutableRawBufferPointer(rebasing: all[Record.headerSize...])
            fill(payload)
            all.put(little: UInt64(0), at: 0)
            all.put(little: UInt32(count), at: 8)
            all.put(little: UInt32(kind.rawValue), at: 12)
            all.put(little: UInt64(0), at: 16)
            let check = fileKey.digest(.payload, UnsafeRawBufferPointer(payload))
            all.put(little: check.low, at: 24)
            initializedCount = size
        }
    }

    init(_ kind: Kind, _ payload: [UInt8], with fileKey: FileKey) {
        self.init(kind, count: payload.count, with: fileKey) { $0.copyBytes(from: payload) }
    }

    /// Creates a copy of a record that was read.
    init(_ kind: Kind, copying payload: UnsafeRawBufferPointer, with fileKey: FileKey) {
        self.init(kind, count: payload.count, with: fileKey) { $0.copyMemory(from: payload) }
    }

    /// Creates a record that fills the rest of a sector.
    ///
    /// `size` must be at least the size of a header.
    static func filler(_ size: Int, with fileKey: FileKey) -> Record {
        Record(.filler, Array(repeating: lastByte, count: size - headerSize), with: fileKey)
    }

    /// Completes the header for an offset in the file.
    ///
    /// The header records that the first `synced` bytes of the file are known to be on the disk.
    mutating func complete(at offset: Int, synced: Int, with fileKey: FileKey) {
        self.offset = offset
        bytes.withUnsafeMutableBytes { all in
            all.put(little: UInt64(synced), at: 16)
            let checked = UnsafeRawBufferPointer(rebasing: all[8..<32])
            let check = fileKey.digest(.header, checked, at: offset)
            all.put(little: fileKey.tag(at: offset), at: 0)
            all.put(little: UInt32(truncatingIfNeeded: check.low), at: 4)
        }
    }

    /// A valid header that was read from a file.
    struct Header {
        let kind: Kind
        let count: Int
        let synced: Int
        private let payloadCheck: UInt64

        /// Reads a header.
        ///
        /// Nil if the 32 bytes are not a header of this file at this offset.
        init?(_ bytes: UnsafeRawBufferPointer, at offset: Int, with fileKey: FileKey) {
            guard bytes.little(0) == fileKey.tag(at: offset) else { return nil }
            let checked = UnsafeRawBufferPointer(rebasing: bytes[8..<32])
            let check = fileKey.digest(.header, checked, at: offset)
            let kind: UInt32 = bytes.little(12)
            let count: UInt32 = bytes.little(8)
            let synced: UInt64 = bytes.little(16)
            guard bytes.little(4) == UInt32(truncatingIfNeeded: check.low),
                kind <= 255, let kind = Kind(rawValue: UInt8(kind)),
                count <= Record.longestPayload, synced <= offset
            else { return nil }
            self.kind = kind
            self.count = Int(count)
            self.synced = Int(synced)
            payloadCheck = bytes.little(24)
        }

        /// Whether a payload is the one that was written with this header.
        func matches(_ payload: UnsafeRawBufferPointer, with fileKey: FileKey) -> Bool {
            payload.count == count && fileKey.digest(.payload, payload).low == payloadCheck
        }
    }
}

/// The location of a record in its file.
struct RecordLocation: Hashable, Sendable {
    let offset: Int
    let payloadCount: UInt32

    var size: Int { Record.headerSize + Int(payloadCount) }
}
