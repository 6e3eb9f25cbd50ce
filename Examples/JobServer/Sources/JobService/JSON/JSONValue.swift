/// A value as a client sent it.
///
/// Foundation's decoder on Linux calls 1.5 or 10³⁰ in the place of an `Int` invalid JSON, and does not
/// say where: a form could not mark the field. Values are read first, and ``ParameterDecoder`` decodes
/// them.
indirect enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The members of an object; nil of anything else.
    var members: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The text of a string; nil of anything else.
    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value without the members that are `null`: to a client, a missing one is the same.
    var withoutNulls: JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.value != .null }.mapValues(\.withoutNulls))
    }

    /// The value as JSON, members in order of their names.
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
