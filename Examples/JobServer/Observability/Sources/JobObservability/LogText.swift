/// Escapes texts for a log line.
public enum LogText {
    /// Escapes line breaks and other control characters.
    ///
    /// - Parameter text: Any text, including texts from clients.
    /// - Returns: The text with `\n`, `\r`, `\t` and `\u{…}` instead of these characters.
    public static func oneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var line = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": line += "\\n"
            case "\r": line += "\\r"
            case "\t": line += "\\t"
            case _ where isControl(scalar): line += "\\u{\(String(scalar.value, radix: 16))}"
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        // Some readers also treat the two separators as line breaks.
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        default: false
        }
    }
}
