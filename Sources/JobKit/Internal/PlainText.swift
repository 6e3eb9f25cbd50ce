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

extension Duration {
    /// The duration to about three digits, in the largest unit in which it is at least 1.
    var shortText: String {
        let seconds = self / .seconds(1)
        switch seconds {
        case ..<0.000_001: return "\(nanoseconds) ns"
        case ..<0.000_999_5: return threeDigits(seconds * 1e6) + " µs"
        case ..<0.999_5: return threeDigits(seconds * 1e3) + " ms"
        case ..<119.5: return threeDigits(seconds) + " s"
        default: break
        }
        let whole = Int64(seconds.rounded())
        let (hours, minutes) = (whole / 3_600, whole % 3_600 / 60)
        return hours > 0 ? "\(hours) h \(minutes) min" : "\(minutes) min \(whole % 60) s"
    }

    private func threeDigits(_ value: Double) -> String {
        value.text(decimals: value < 9.995 ? 2 : value < 99.95 ? 1 : 0)
    }

    /// The duration in whole nanoseconds, rounded down, up to 292 years.
    var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}

extension Double {
    /// Returns decimal text without an exponent and without unnecessary zeros.
    func text(decimals: Int) -> String {
        let scale = [1.0, 10, 100, 1_000][decimals]
        // Zero is added because the rounded number may be negative zero.
        let text = "\(((self * scale).rounded() + 0) / scale)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
