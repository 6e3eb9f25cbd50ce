/// Writes the JSON values of a report.
enum JSONText {
    /// Quotes a text.
    ///
    /// Bytes that are not UTF-8 become U+FFFD.
    ///
    /// - Parameter bytes: The text.
    /// - Returns: A JSON string in UTF-8.
    static func string(_ bytes: [UInt8]) -> [UInt8] {
        if bytes.allSatisfy(isPlain) { return [0x22] + bytes + [0x22] }
        var quoted: [UInt8] = [0x22]
        for byte in String(decoding: bytes, as: UTF8.self).utf8 {
            switch byte {
            case 0x22, 0x5C: quoted += [0x5C, byte]
            case 0x09: quoted += "\\t".utf8
            case 0x0A: quoted += "\\n".utf8
            case 0x0D: quoted += "\\r".utf8
            case 0..<0x10: quoted += "\\u000\(String(byte, radix: 16))".utf8
            case 0x10..<0x20, 0x7F: quoted += "\\u00\(String(byte, radix: 16))".utf8
            default: quoted.append(byte)
            }
        }
        quoted.append(0x22)
        return quoted
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x5C
    }

    /// Creates an array of values.
    ///
    /// - Parameter values: JSON values.
    /// - Returns: A JSON array.
    static func array(_ values: some Sequence<[UInt8]>) -> [UInt8] {
        var text: [UInt8] = [0x5B]
        for (number, value) in values.enumerated() {
            if number > 0 { text.append(0x2C) }
            text += value
        }
        return text + [0x5D]
    }
}
