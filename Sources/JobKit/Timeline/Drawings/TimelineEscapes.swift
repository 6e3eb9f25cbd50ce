/// Makes every character of a name visible on one line.
enum TimelineName {
    /// The name with each control character shown by its picture (␊ for a line feed), each further
    /// line separator by its number, and words for an empty name.
    static func oneLine(_ name: String) -> String {
        name.isEmpty ? "(no name)" : name.replacingScalars(picture)
    }

    /// A visible stand-in for a character that no line of text can hold; nil for any other.
    static func picture(of scalar: Unicode.Scalar) -> String? {
        switch scalar.value {
        case 0..<0x20: Unicode.Scalar(0x2400 + scalar.value).map { String($0) }
        case 0x7F: "\u{2421}"
        case 0x80..<0xA0, 0x2028, 0x2029, 0xFFFE, 0xFFFF:
            "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        default: nil
        }
    }
}

/// The escapes of the three formats in which a timeline is written.
extension String {
    /// The text as XML 1.0 writes it, in an element or an attribute.
    ///
    /// Line feeds and tabs are kept as references; characters that XML forbids become pictures.
    var xmlText: String {
        replacingScalars { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "\t", "\n", "\r", "\u{7F}"..."\u{9F}": "&#\(scalar.value);"
            case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": TimelineName.picture(of: scalar)
            default: nil
            }
        }
    }

    /// The text as JSON writes it, in quotes.
    var jsonText: String {
        let text = replacingScalars { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            // Perfetto shows other escapes of these as they are written.
            case "\n": "\\n"
            case "\r": "\\r"
            case "\t": "\\t"
            case "\u{0}"..<"\u{20}":
                "\\u" + String(0x10000 + scalar.value, radix: 16).dropFirst()
            default: nil
            }
        }
        return "\"\(text)\""
    }

    /// The name so that Mermaid reads it as text and shows it as it is.
    var mermaidText: String {
        let line = TimelineName.oneLine(self)
        let lowercase = line.lowercased()
        let beginsWithCommand =
            Self.mermaidCommands.contains { lowercase.hasPrefix($0) }
            || line.first?.isNumber == true
        let last = line.unicodeScalars.count - 1
        var index = -1
        return line.replacingScalars { scalar in
            index += 1
            let isEdgeSpace = scalar == " " && (index == 0 || index == last)
            let isCommand = index == 0 && beginsWithCommand
            let isPlain = !scalar.isASCII || Self.plainInMermaid.contains(scalar)
            return isPlain && !isEdgeSpace && !isCommand ? nil : "#\(scalar.value);"
        }
    }

    /// Words that Mermaid reads as a command where a line begins with them.
    private static let mermaidCommands = [
        "acc", "axisformat", "call", "click", "dateformat", "excludes", "gantt", "href", "includes",
        "inclusive", "section", "tickinterval", "title", "todaymarker", "topaxis", "week",
    ]

    private static let plainInMermaid = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_.()/+,=".unicodeScalars
    )

    /// The text with a stand-in for each character that `standIn` gives one for.
    fileprivate func replacingScalars(_ standIn: (Unicode.Scalar) -> String?) -> String {
        unicodeScalars.reduce(into: "") { text, scalar in
            if let standIn = standIn(scalar) {
                text += standIn
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}
