/// Converts a command line argument to text without losing bytes.
///
/// Swift's own `CommandLine.arguments` replaces bytes that are not UTF-8, and would thereby name
/// another folder. Here, each such byte becomes a character of a private range, U+10FF00 plus the
/// byte. If a character of the argument is itself in that range, each of its bytes becomes such a
/// character.
package enum ArgumentText {
    private static let base: UInt32 = 0x10FF00

    /// Converts an argument to text.
    ///
    /// - Parameter bytes: The argument's bytes.
    /// - Returns: The text. For UTF-8, it is the text that the bytes encode.
    package static func text(of bytes: [UInt8]) -> String {
        var text = ""
        var rest = bytes[...]
        while let first = rest.first {
            let length = (1...4).first { isCharacter(rest.prefix($0)) }
            if let length {
                text += String(decoding: rest.prefix(length), as: UTF8.self)
                rest = rest.dropFirst(length)
            } else {
                text.unicodeScalars.append(scalar(for: first))
                rest = rest.dropFirst()
            }
        }
        return text
    }

    /// Converts the text back to bytes.
    ///
    /// - Parameter text: A text from ``text(of:)``.
    /// - Returns: The argument's bytes.
    package static func bytes(of text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar -> [UInt8] in
            scalar.value >= base && scalar.value <= base + 0xFF
                ? [UInt8(scalar.value - base)] : Array(String(scalar).utf8)
        }
    }

    private static func isCharacter(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        let scalars = text.unicodeScalars
        guard scalars.count == 1, let scalar = scalars.first else { return false }
        return scalar.value < base || scalar.value > base + 0xFF
    }

    private static func scalar(for byte: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(base + UInt32(byte)) ?? "\u{FFFD}"
    }
}
