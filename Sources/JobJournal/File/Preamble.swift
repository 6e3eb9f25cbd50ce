/// The first 40 bytes of a file: a signature, the format and the key.
struct Preamble: Sendable {
    static let size = 40
    static let format: UInt32 = 1

    /// A signature that no tool takes for text, and that a conversion of line ends destroys.
    static let magic: [UInt8] = [0x89] + Array("JKjrnl".utf8) + [0x0a]

    let fileKey: FileKey

    var bytes: [UInt8] {
        let format = [UInt8](little: Preamble.format, UInt32(0))
        let bytes = Preamble.magic + format + [UInt8](little: fileKey.low, fileKey.high)
        return bytes + [UInt8](little: Preamble.check(of: bytes))
    }

    /// The result of reading the first bytes of a file.
    enum Reading {
        case whole(FileKey)
        /// An incomplete preamble. Nothing was ever recorded.
        case torn
        case laterFormat
        case damaged
    }

    static func read(_ bytes: [UInt8]) -> Reading {
        let known = Preamble(fileKey: FileKey(low: 0, high: 0)).bytes.prefix(16)
        guard zip(bytes, magic).allSatisfy(==) else { return .damaged }
        guard bytes.count >= size else {
            return zip(bytes, known).allSatisfy(==) ? .torn : .damaged
        }
        let words: (format: UInt32, low: UInt64, high: UInt64, check: UInt64) =
            bytes.withUnsafeBytes { ($0.little(8), $0.little(16), $0.little(24), $0.little(32)) }
        guard words.check == check(of: Array(bytes.prefix(32))) else {
            return words.format > format ? .laterFormat : .damaged
        }
        guard words.format == format else { return .laterFormat }
        return .whole(FileKey(low: words.low, high: words.high))
    }

    private static func check(of bytes: [UInt8]) -> UInt64 {
        FileKey(low: 0, high: 0).digest(.preamble, bytes).low
    }
}
