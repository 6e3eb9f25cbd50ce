extension String {
    /// The text as one line of visible characters.
    ///
    /// A control character becomes its picture, for example ␊ for a line feed, and any other line
    /// separator becomes its number. An empty text is replaced by words.
    var oneLine: String { isEmpty ? "(no name)" : replacingScalars(\.picture) }

    /// Replaces each character for which `standIn` returns text.
    func replacingScalars(_ standIn: (Unicode.Scalar) -> String?) -> String {
        unicodeScalars.reduce(into: "") { text, scalar in
            if let standIn = standIn(scalar) {
                text += standIn
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Unicode.Scalar {
    /// The visible text that replaces a control character or line separator.
    ///
    /// Nil for any other character.
    var picture: String? {
        switch value {
        case 0..<0x20: Unicode.Scalar(0x2400 + value).map { String($0) }
        case 0x7F: "\u{2421}"
        case 0x80..<0xA0, 0x2028, 0x2029, 0xFFFE, 0xFFFF:
            "\\u{\(String(value, radix: 16, uppercase: true))}"
        default: nil
        }
    }
}

extension Int {
    /// Returns the number and its noun, in the plural unless the number is one.
    func counting(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
