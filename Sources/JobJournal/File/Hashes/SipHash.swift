/// A keyed hash of 128 bits that is fast for the short inputs of a journal.
///
/// No two inputs have the same hash by accident. Without the key, such inputs cannot be
/// constructed.
///
/// > Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012. This is SipHash-2-4
/// > with an output of 128 bits.
struct SipHash: Sendable {
    /// A hash of 128 bits, which is equal for equal inputs and keys.
    struct Digest: Hashable, Sendable {
        let low: UInt64
        let high: UInt64

        /// The 16 bytes that are stored in a file.
        var bytes: [UInt8] {
            var bytes: [UInt8] = []
            bytes.append(little: low)
            bytes.append(little: high)
            return bytes
        }

        /// 32 hexadecimal digits.
        var text: String {
            [low, high]
                .map { word in
                    let digits = String(word, radix: 16)
                    return String(repeating: "0", count: 16 - digits.count) + digits
                }
                .joined()
        }

        // The bits are well mixed already.
        func hash(into hasher: inout Hasher) { hasher.combine(low) }
    }

    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    private init(_ key: FileKey) {
        v0 = key.low ^ 0x736f_6d65_7073_6575
        v1 = key.high ^ 0x646f_7261_6e64_6f6d ^ 0xee
        v2 = key.low ^ 0x6c79_6765_6e65_7261
        v3 = key.high ^ 0x7465_6462_7974_6573
    }

    /// Hashes a word's eight bytes, little-endian, followed by `bytes`.
    static func digest(_ key: FileKey, _ word: UInt64, _ bytes: UnsafeRawBufferPointer) -> Digest {
        var hash = SipHash(key)
        hash.absorb(word)
        let whole = bytes.count & ~7
        var at = 0
        while at < whole {
            hash.absorb(
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            )
            at += 8
        }
        var last = UInt64(truncatingIfNeeded: bytes.count + 8) << 56
        var shift: UInt64 = 0
        while at < bytes.count {
            last |= UInt64(bytes[at]) << shift
            shift += 8
            at += 1
        }
        hash.absorb(last)
        return hash.finished()
    }

    @inline(__always)
    private mutating func absorb(_ word: UInt64) {
        v3 ^= word
        mix()
        mix()
        v0 ^= word
    }

    private mutating func finished() -> Digest {
        v2 ^= 0xee
        for _ in 0..<4 { mix() }
        let low = v0 ^ v1 ^ v2 ^ v3
        v1 ^= 0xdd
        for _ in 0..<4 { mix() }
        return Digest(low: low, high: v0 ^ v1 ^ v2 ^ v3)
    }

    @inline(__always)
    private mutating func mix() {
        v0 &+= v1
        v1 = (v1 << 13 | v1 >> 51) ^ v0
        v0 = v0 << 32 | v0 >> 32
        v2 &+= v3
        v3 = (v3 << 16 | v3 >> 48) ^ v2
        v0 &+= v3
        v3 = (v3 << 21 | v3 >> 43) ^ v0
        v2 &+= v1
        v1 = (v1 << 17 | v1 >> 47) ^ v2
        v2 = v2 << 32 | v2 >> 32
    }
}
