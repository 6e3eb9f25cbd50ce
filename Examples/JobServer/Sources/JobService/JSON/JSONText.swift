/// Writes JSON.
enum JSONText {
    /// Quotes a text and escapes characters that a JSON string must not contain.
    static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }
        if isPlain { return "\"" + text + "\"" }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// Quotes a text, or returns `null`.
    static func quoted(_ text: String?) -> String {
        text.map { quoted($0) } ?? "null"
    }

    /// A number, or `null`.
    static func number(_ value: Int64?) -> String {
        value.map { String($0) } ?? "null"
    }

    /// Creates an object of members that are already JSON, in this order.
    static func object(_ members: KeyValuePairs<String, String>) -> String {
        "{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    /// Creates an array of values that are already JSON.
    static func array(_ values: some Sequence<String>) -> String {
        "[" + values.joined(separator: ",") + "]"
    }
}
