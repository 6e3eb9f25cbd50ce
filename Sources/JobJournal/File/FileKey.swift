/// The random key of a file's checks and digests.
///
/// It is stored at the beginning of the file. Therefore, bytes from another file do not pass a
/// check, and step keys cannot be chosen so that their digests collide.
struct FileKey: Hashable, Sendable {
    let low: UInt64
    let high: UInt64

    static func random() -> FileKey {
        FileKey(low: .random(in: 0 ... .max), high: .random(in: 0 ... .max))
    }

    /// Separates the digests of one use from those of all others.
    enum Use: UInt64 {
        case preamble = 1
        case tag
        case header
        case payload
        case step
        case scope
        case input
        case request
        case duplicate
    }

    func digest(
        _ use: Use,
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int = 0
    ) -> SipHash.Digest {
        SipHash.digest(self, use.rawValue << 56 | UInt64(offset), bytes)
    }

    func digest(_ use: Use, _ bytes: [UInt8]) -> SipHash.Digest {
        bytes.withUnsafeBytes { digest(use, $0) }
    }

    /// The first four bytes of a record, which depend on its offset.
    func tag(at offset: Int) -> UInt32 {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        return UInt32(truncatingIfNeeded: digest(.tag, nothing, at: offset).low)
    }
}
