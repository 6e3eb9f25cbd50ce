/// A digest by which a changed input is noticed: FNV-1a of 64 bits.
///
/// It guards against mistakes, not against an enemy.
struct InputDigest: Hashable {
    let value: UInt64

    /// The digest with its high bits in its low ones, so that a remainder depends on all of them.
    var mixed: UInt64 { (value ^ value >> 33) &* 0xFF51_AFD7_ED55_8CCD >> 32 }

    /// Digests bytes.
    init(of bytes: some Sequence<UInt8>) {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes {
            digest ^= UInt64(byte)
            digest &*= 0x100_0000_01B3
        }
        value = digest
    }
}
