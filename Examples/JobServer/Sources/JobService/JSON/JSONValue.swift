/// A value as a client sent it.
///
/// If JSON contains 1.5 or 10³⁰ instead of an `Int`, Foundation's decoder on Linux reports invalid
/// JSON without a location, so a form could not mark the field. Therefore, values are parsed first,
/// and ``ParameterDecoder`` decodes them.
indirect enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The members of an object, or nil for other values.
    var members: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The text of a string, or nil for other values.
    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value without `null` members, because clients may send `null` for a missing member.
    var withoutNulls: JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.value != .null }.mapValues(\.withoutNulls))
    }

    /// The value as JSON, with members in order of their names.
    var json: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .number(let value): value.isFinite ? value.description : "null"
        case .string(let text): JSONText.quoted(text)
        case .array(let values): "[" + values.map(\.json).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.sorted { $0.key < $1.key }
                .map { JSONText.quoted($0.key) + ":" + $0.value.json }
                .joined(separator: ",") + "}"
        }
    }
}
