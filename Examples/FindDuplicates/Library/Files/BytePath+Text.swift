extension BytePath {
    /// Whether the path's bytes are UTF-8.
    public var isUTF8: Bool {
        String(validating: bytes, as: UTF8.self) != nil
    }

    /// The bytes of the path in a form that is safe for terminals.
    ///
    /// A name may contain characters that change a terminal's state or the order of its letters.
    /// Therefore, control characters, characters that change the writing direction, and bytes that
    /// are not UTF-8 are written as in C: `\n`, `\x1b` or `\u202e`. The backslash is escaped too,
    /// so that each text has only one meaning.
    package var printableBytes: [UInt8] {
        if bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != Self.backslash }) { return bytes }
        var printable: [UInt8] = []
        var rest = bytes[...]
        while let first = rest.first {
            let length = Self.lengthOfCharacter(at: rest)
            let scalar = String(decoding: rest.prefix(length), as: UTF8.self).unicodeScalars.first
            if length == 0 {
                printable += "\\x\(Self.hexadecimal(UInt32(first), 2))".utf8
            } else if let scalar, let escaped = Self.escape(scalar) {
                printable += escaped.utf8
            } else {
                printable += rest.prefix(length)
            }
            rest = rest.dropFirst(max(length, 1))
        }
        return printable
    }

    private static let backslash = UInt8(ascii: "\\")

    /// The length of the first character in bytes, or 0 if the bytes are not UTF-8.
    private static func lengthOfCharacter(at bytes: ArraySlice<UInt8>) -> Int {
        (1...4)
            .first { length in
                let text = String(validating: bytes.prefix(length), as: UTF8.self)
                return text?.unicodeScalars.count == 1
            } ?? 0
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\\": "\\\\"
        case "\t": "\\t"
        case "\n": "\\n"
        case "\r": "\\r"
        case "\u{0}"..."\u{1F}", "\u{7F}": "\\x" + hexadecimal(scalar.value, 2)
        // C1 controls, marks and overrides of direction, separators of lines, annotations.
        case "\u{80}"..."\u{9F}", "\u{61C}", "\u{200E}"..."\u{200F}", "\u{2028}"..."\u{202E}",
            "\u{2066}"..."\u{206F}", "\u{FEFF}", "\u{FFF9}"..."\u{FFFB}":
            "\\u" + hexadecimal(scalar.value, 4)
        // Tags, which are invisible.
        case "\u{E0000}"..."\u{E007F}": "\\U" + hexadecimal(scalar.value, 8)
        default: nil
        }
    }

    private static func hexadecimal(_ value: UInt32, _ count: Int) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
