/// Makes every character of a name visible on one line.
enum TimelineName {
    /// The name with each control character shown by its picture (␊ for a line feed), each further
    /// line separator by its number, and words for an empty name.
    static func oneLine(_ name: String) -> String {
        guard !name.isEmpty else { return "(no name)" }
        guard name.unicodeScalars.contains(where: needsPicture) else { return name }
        var line = ""
        for scalar in name.unicodeScalars {
            if needsPicture(scalar) {
                line += picture(of: scalar)
            } else {
                line.unicodeScalars.append(scalar)
            }
        }
        return line
    }

    /// A visible stand-in for a character that no line of text can hold.
    static func picture(of scalar: Unicode.Scalar) -> String {
        switch scalar.value {
        case 0..<0x20: Unicode.Scalar(0x2400 + scalar.value).map { String($0) } ?? ""
        case 0x7F: "\u{2421}"
        default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        }
    }

    private static func needsPicture(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFFFE, 0xFFFF: true
        default: false
        }
    }
}
