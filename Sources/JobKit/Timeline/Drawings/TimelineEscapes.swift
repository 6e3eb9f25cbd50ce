/// The escapes of XML and Mermaid.
extension String {
    /// The text in XML 1.0, for an element or an attribute.
    ///
    /// Line feeds and tabs become references. Characters that XML forbids become pictures.
    var xmlText: String {
        replacingScalars { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "\t", "\n", "\r", "\u{7F}"..."\u{9F}": "&#\(scalar.value);"
            case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": scalar.picture
            default: nil
            }
        }
    }

    /// The name in a form that Mermaid shows as plain text.
    var mermaidText: String {
        let line = oneLine
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

    /// Words that Mermaid takes for a command at the beginning of a line.
    private static let mermaidCommands = [
        "acc", "axisformat", "call", "click", "dateformat", "excludes", "gantt", "href", "includes",
        "inclusive", "section", "tickinterval", "title", "todaymarker", "topaxis", "week",
    ]

    private static let plainInMermaid = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_.()/+,=".unicodeScalars
    )
}
