/// Changes names and labels to valid ones of the text format.
enum PrometheusName {
    /// A metric's name: letters, digits, `_` and `:`, but no digit at the beginning.
    static func metric(_ name: String) -> String {
        allowed(name, extra: ":")
    }

    /// The content of the braces: labels in order of their names.
    static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions
            .map { (allowed($0.0, extra: ""), $0.1) }
            .sorted { $0 < $1 }
            .map { "\($0.0)=\"\(escaped($0.1))\"" }
            .joined(separator: ",")
    }

    private static func allowed(_ name: String, extra: String) -> String {
        let scalars = name.unicodeScalars.map { scalar -> Character in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_": Character(scalar)
            case _ where extra.unicodeScalars.contains(scalar): Character(scalar)
            default: "_"
            }
        }
        let text = String(scalars)
        return text.first.map { $0.isNumber ? "_" + text : text } ?? "_"
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
