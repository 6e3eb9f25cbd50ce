extension BytePath {
    /// Whether the path's bytes are UTF-8.
    public var isUTF8: Bool {
        String(validating: bytes, as: UTF8.self) != nil
    }

    /// The bytes of the path as a message may show them.
    ///
    /// A control character could change what a terminal shows and is written as in C, `\n` or
    /// `\x1b`. All other bytes are as they are.
    package var printableBytes: [UInt8] {
        bytes.flatMap { byte -> [UInt8] in
            switch byte {
            case 0x09: Array("\\t".utf8)
            case 0x0A: Array("\\n".utf8)
            case 0x0D: Array("\\r".utf8)
            case 0..<0x10: Array("\\x0\(String(byte, radix: 16))".utf8)
            case 0x10..<0x20, 0x7F: Array("\\x\(String(byte, radix: 16))".utf8)
            default: [byte]
            }
        }
    }
}
