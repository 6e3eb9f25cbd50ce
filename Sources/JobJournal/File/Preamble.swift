/// The first 40 bytes of a file: a signature, the format and the seal.
struct Preamble: Sendable {
    static let size = 40
    static let format: UInt32 = 1

    /// A signature that no tool takes for text, and that a conversion of line ends destroys.
    static let magic: [UInt8] = [0x89] + Array("JKjrnl".utf8) + [0x0a]

    let seal: JournalSeal

    var bytes: [UInt8] {
        var bytes = Preamble.magic
        bytes.append(little: Preamble.format)
        bytes.append(little: UInt32(0))
        bytes.append(little: seal.key.low)
        bytes.append(little: seal.key.high)
        bytes.append(little: Preamble.check(of: bytes))
        return bytes
    }

    /// The result of reading the first bytes of a file.
    enum Reading {
        case whole(Preamble)
        /// An incomplete preamble. Nothing was ever recorded.
        case torn
        case laterFormat
        case damaged
    }

    static func read(_ bytes: [UInt8]) -> Reading {
        let known = Preamble(seal: JournalSeal(SipHash.Key(low: 0, high: 0))).bytes.prefix(16)
        guard zip(bytes, magic).allSatisfy(==) else { return .damaged }
        guard bytes.count >= size else {
            return zip(bytes, known).allSatisfy(==) ? .torn : .damaged
        }
        let words: (format: UInt32, low: UInt64, high: UInt64, check: UInt64) =
            bytes.withUnsafeBytes {
                ($0.little(8), $0.little(16), $0.little(24), $0.little(32))
            }
        guard words.check == check(of: Array(bytes.prefix(32))) else {
            return words.format > format ? .laterFormat : .damaged
        }
        guard words.format == format else { return .laterFormat }
        return .whole(Preamble(seal: JournalSeal(SipHash.Key(low: words.low, high: words.high))))
    }

    private static func check(of bytes: [UInt8]) -> UInt64 {
        JournalSeal(SipHash.Key(low: 0, high: 0)).digest(.preamble, bytes).low
    }
}

extension UnsafeRawBufferPointer {
    /// Reads a little-endian number at an offset inside the buffer.
    func little<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}

extension UnsafeMutableRawBufferPointer {
    func put<Number: FixedWidthInteger & BitwiseCopyable>(little number: Number, at offset: Int) {
        storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
    }
}

extension [UInt8] {
    mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(little number: Number) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}

extension UInt32 {
    var littleEndianBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(little: self)
        return bytes
    }
}
