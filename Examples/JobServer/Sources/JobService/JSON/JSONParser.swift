/// Reads JSON as RFC 8259 has it, from UTF-8.
struct JSONParser {
    /// Why a text is no JSON.
    struct Problem: Error, Equatable, CustomStringConvertible {
        /// The place, in bytes from 0.
        let offset: Int

        var description: String { "no JSON at byte \(offset)" }
    }

    /// How deep arrays and objects may nest.
    static let depthLimit = 64

    private let bytes: [UInt8]
    private var place = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads one value, and nothing behind it but white space.
    static func value(of bytes: [UInt8]) throws(Problem) -> JSONValue {
        // Unpaired bytes would turn into replacement characters, silently.
        guard String(validating: bytes, as: UTF8.self) != nil else { throw Problem(offset: 0) }
        var parser = JSONParser(bytes)
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.place == bytes.count else { throw parser.problem }
        return value
    }

    private var problem: Problem { Problem(offset: place) }
    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        place += 1
        return true
    }

    private mutating func take(_ word: String, _ value: JSONValue) throws(Problem) -> JSONValue {
        guard bytes[place...].starts(with: word.utf8) else { throw problem }
        place += word.utf8.count
        return value
    }

    private mutating func value(depth: Int) throws(Problem) -> JSONValue {
        guard depth <= Self.depthLimit else { throw problem }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try take("true", .bool(true))
        case UInt8(ascii: "f"): return try take("false", .bool(false))
        case UInt8(ascii: "n"): return try take("null", .null)
        default: return try number()
        }
    }

    private mutating func object(depth: Int) throws(Problem) -> JSONValue {
        place += 1
        var members: [String: JSONValue] = [:]
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object(members) }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw problem }
            let start = place
            let name = try string()
            // Of two members of a name, readers take different ones.
            guard members[name] == nil else { throw Problem(offset: start) }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw problem }
            members[name] = try value(depth: depth + 1)
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw problem }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(Problem) -> JSONValue {
        place += 1
        var values: [JSONValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array(values) }
        repeat {
            values.append(try value(depth: depth + 1))
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw problem }
        return .array(values)
    }

    private mutating func number() throws(Problem) -> JSONValue {
        let start = place
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        if isInteger, let value = Int64(text) { return .integer(value) }
        guard let value = Double(text) else { throw problem }
        // 3.0 and 3e2 are integers, whatever their spelling.
        return Int64(exactly: value).map { .integer($0) } ?? .number(value)
    }

    private mutating func digits() throws(Problem) {
        let start = place
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { place += 1 }
        guard place > start else { throw problem }
    }

    private mutating func string() throws(Problem) -> String {
        place += 1
        var text: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                place += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                place += 1
                text += try escape()
            case 0..<0x20:
                throw problem
            default:
                text.append(byte)
                place += 1
            }
        }
        throw problem
    }

    private mutating func escape() throws(Problem) -> [UInt8] {
        guard let byte = next else { throw problem }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return Array(String(try escapedScalar()).utf8)
        default: throw problem
        }
    }

    private mutating func escapedScalar() throws(Problem) -> Unicode.Scalar {
        let first = try unit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u"))
        else { throw problem }
        let second = try unit()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw problem }
        return scalar
    }

    private mutating func unit() throws(Problem) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw problem
            }
            value = value << 4 | UInt32(digit)
            place += 1
        }
        return value
    }
}
