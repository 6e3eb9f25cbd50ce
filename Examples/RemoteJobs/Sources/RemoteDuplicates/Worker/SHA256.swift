/// Computes SHA-256 of bytes that arrive in pieces.
///
/// swift-crypto could do this too. However, its first build takes minutes of processor time, nearly
/// all for its C code, which is too much for an example.
///
/// > Source: FIPS 180-4, Secure Hash Standard, sections 4.1.2, 5 and 6.2.
struct SHA256 {
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
        0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
        0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
        0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
        0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
        0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
        0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
        0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
        0xc671_78f2,
    ]
    private static let blockLength = 64

    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
        0x5be0_cd19,
    ]
    private var partial: [UInt8] = []
    private var byteCount: UInt64 = 0

    /// Adds the next bytes.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        byteCount += UInt64(bytes.count)
        var rest = bytes[...]
        if !partial.isEmpty {
            let missing = min(Self.blockLength - partial.count, rest.count)
            partial.append(contentsOf: rest.prefix(missing))
            rest = rest.dropFirst(missing)
            guard partial.count == Self.blockLength else { return }
            partial.withUnsafeBytes { compress($0) }
            partial.removeAll(keepingCapacity: true)
        }
        let whole = rest.count - rest.count % Self.blockLength
        if whole > 0 { compress(UnsafeRawBufferPointer(rebasing: rest.prefix(whole))) }
        partial.append(contentsOf: rest.dropFirst(whole))
    }

    /// Completes the digest.
    ///
    /// - Returns: The digest in hexadecimal, 64 digits.
    mutating func finalize() -> String {
        let bitCount = byteCount * 8
        partial.append(0x80)
        let zeros = (Self.blockLength * 2 - 8 - partial.count % Self.blockLength) % Self.blockLength
        partial.append(contentsOf: repeatElement(0, count: zeros))
        for shift in stride(from: 56, through: 0, by: -8) {
            partial.append(UInt8(truncatingIfNeeded: bitCount >> UInt64(shift)))
        }
        partial.withUnsafeBytes { compress($0) }
        return
            state.map { word in
                let digits = String(word, radix: 16)
                return String(repeating: "0", count: 8 - digits.count) + digits
            }
            .joined()
    }

    /// Mixes whole blocks into the state.
    private mutating func compress(_ blocks: UnsafeRawBufferPointer) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
            Self.constants.withUnsafeBufferPointer { constants in
                for start in stride(from: 0, to: blocks.count, by: Self.blockLength) {
                    for place in 0..<16 {
                        words[place] = UInt32(
                            bigEndian: blocks.loadUnaligned(
                                fromByteOffset: start + 4 * place,
                                as: UInt32.self
                            )
                        )
                    }
                    mix(words, constants)
                }
            }
        }
    }

    @inline(__always)
    private mutating func mix(
        _ words: UnsafeMutableBufferPointer<UInt32>,
        _ constants: UnsafeBufferPointer<UInt32>
    ) {
        for place in 16..<64 {
            let (old, new) = (words[place - 15], words[place - 2])
            let low = Self.rotate(old, 7) ^ Self.rotate(old, 18) ^ old >> 3
            let high = Self.rotate(new, 17) ^ Self.rotate(new, 19) ^ new >> 10
            words[place] = words[place - 16] &+ low &+ words[place - 7] &+ high
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for place in 0..<64 {
            let high = Self.rotate(e, 6) ^ Self.rotate(e, 11) ^ Self.rotate(e, 25)
            let choice = e & f ^ ~e & g
            let first = h &+ high &+ choice &+ constants[place] &+ words[place]
            let low = Self.rotate(a, 2) ^ Self.rotate(a, 13) ^ Self.rotate(a, 22)
            let second = low &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ second)
        }
        for (place, word) in [a, b, c, d, e, f, g, h].enumerated() { state[place] &+= word }
    }

    @inline(__always)
    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }
}
