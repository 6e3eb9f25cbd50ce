/// The random bytes of a journal, with which it makes all its checks and digests.
///
/// They stand at the beginning of its file, so that nothing of another file passes for its own, and
/// keys that other code chose cannot be made to collide.
struct JournalSeal: Hashable, Sendable {
    let key: SipHash.Key

    init(_ key: SipHash.Key) { self.key = key }

    static func random() -> JournalSeal {
        JournalSeal(SipHash.Key(low: .random(in: 0 ... .max), high: .random(in: 0 ... .max)))
    }

    /// What keeps a digest of one use apart from those of the others.
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

    /// What begins the frame at an offset, and only there.
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
