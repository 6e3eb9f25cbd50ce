/// Detects a changed input by a digest, FNV-1a of 64 bits.
///
/// It protects against mistakes and not against an attacker.
struct InputDigest: Hashable {
    let value: UInt64

    /// The digest with its high bits mixed into its low bits, so that a remainder depends on all
    /// bits.
    var mixed: UInt64 { (value ^ value >> 33) &* 0xFF51_AFD7_ED55_8CCD >> 32 }

    /// Computes the digest of bytes.
    init(of bytes: some Sequence<UInt8>) {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes {
            digest ^= UInt64(byte)
            digest &*= 0x100_0000_01B3
        }
        value = digest
    }
}
