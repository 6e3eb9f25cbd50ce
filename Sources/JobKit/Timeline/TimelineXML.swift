extension String {
    /// The text as XML 1.0 writes it, in an element or an attribute.
    ///
    /// Line feeds and tabs are kept as references; characters that XML forbids become pictures.
    var xmlText: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "\t", "\n", "\r", "\u{7F}"..."\u{9F}": text += "&#\(scalar.value);"
            case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}":
                text += TimelineName.picture(of: scalar)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
