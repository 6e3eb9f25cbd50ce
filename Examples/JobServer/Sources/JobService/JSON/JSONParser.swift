import Foundation

/// Parses JSON in UTF-8 by RFC 8259.
enum JSONParser {
    /// The text is not valid JSON.
    struct Problem: Error, CustomStringConvertible {
        var description: String { "no JSON" }
    }

    /// The deepest nesting of arrays and objects.
    static let depthLimit = 64

    /// Parses one value.
    ///
    /// Only white space may follow it.
    static func value(of bytes: [UInt8]) throws(Problem) -> JSONValue {
        let memberCount = try memberCount(of: bytes)
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)),
            // If a name occurs twice, parsers choose different members. The decoder takes the first
            // one.
            value.memberCount == memberCount
        else { throw Problem() }
        return value
    }

    /// Rejects invalid JSON that Foundation's decoder accepts.
    ///
    /// Foundation accepts other encodings, a byte order mark, and a comma after the last value.
    ///
    /// - Returns: The number of object members, counted by their colons.
    private static func memberCount(of bytes: [UInt8]) throws(Problem) -> Int {
        guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0),
            !bytes.starts(with: [0xEF, 0xBB, 0xBF])
        else { throw Problem() }
        var (count, depth) = (0, 0)
        var (isInString, isEscaped) = (false, false)
        var last: UInt8 = 0
        for byte in bytes where ![0x20, 0x09, 0x0A, 0x0D].contains(byte) {
            if isInString {
                isInString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: ":"): count += 1
                case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
                default: break
                }
                let isEnd = byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}")
                guard depth <= depthLimit, !isEnd || last != UInt8(ascii: ",") else {
                    throw Problem()
                }
            }
            last = byte
        }
        return count
    }
}

extension JSONValue: Decodable {
    /// Decodes a value of any kind.
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            // 3.0 and 3e2 are integers too.
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let values = try? container.decode([JSONValue].self) {
            self = .array(values)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// The number of members of all objects, including nested ones.
    fileprivate var memberCount: Int {
        switch self {
        case .array(let values): values.reduce(0) { $0 + $1.memberCount }
        case .object(let members): members.values.reduce(members.count) { $0 + $1.memberCount }
        default: 0
        }
    }
}
