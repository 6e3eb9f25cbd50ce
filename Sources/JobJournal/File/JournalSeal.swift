/// The random key of a journal's checks and digests.
///
/// It is stored at the beginning of the file. Therefore, bytes from another file do not pass a
/// check, and step keys cannot be chosen so that their digests collide.
struct JournalSeal: Hashable, Sendable {
    let key: SipHash.Key

    init(_ key: SipHash.Key) { self.key = key }

    static func random() -> JournalSeal {
        JournalSeal(SipHash.Key(low: .random(in: 0 ... .max), high: .random(in: 0 ... .max)))
    }

    /// Separates the digests of one use from those of all others.
    enum Use: UInt64 {
        case preamble = 1
        case place
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
        SipHash.digest(key, use.rawValue << 56 | UInt64(offset), bytes)
    }

    func digest(_ use: Use, _ bytes: [UInt8]) -> SipHash.Digest {
        bytes.withUnsafeBytes { digest(use, $0) }
    }

    /// The first four bytes of a frame, which depend on its offset.
    func tag(at offset: Int) -> UInt32 {
        UInt32(
            truncatingIfNeeded: digest(
                .place,
                UnsafeRawBufferPointer(start: nil, count: 0),
                at: offset
            )
            .low
        )
    }
}
