import Foundation

/// How a step's outcome is stored in the file.
struct OutcomeCoding<Output: Sendable>: Sendable {
    let encode: @Sendable (Output) throws -> Data
    let decode: @Sendable (Data) throws -> Output
}

extension OutcomeCoding where Output: Codable {
    /// Stores the value as JSON.
    static var json: OutcomeCoding {
        OutcomeCoding(
            encode: { try Coders.encoded($0, by: Coders.outcome) },
            decode: { try Coders.decoder.decode(Output.self, from: $0) }
        )
    }
}

extension OutcomeCoding where Output == Void {
    /// Stores nothing, because only the success counts.
    static var nothing: OutcomeCoding {
        OutcomeCoding(
            encode: { Data() },
            decode: { data in
                guard data.isEmpty else {
                    let context = DecodingError.Context(
                        codingPath: [],
                        debugDescription: "The step had a value when it was recorded."
                    )
                    throw DecodingError.dataCorrupted(context)
                }
            }
        )
    }
}

/// The shared coders.
///
/// Foundation's coders are safe on many threads if their options never change.
enum Coders {
    static let outcome = JSONEncoder()
    static let decoder = JSONDecoder()

    /// Encodes equal inputs as equal bytes, regardless of the order in a dictionary.
    static let input: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }()

    /// Encodes a value as text that can be decoded.
    ///
    /// Foundation's encoder writes `NaN` for `Decimal.nan`, which its decoder rejects.
    ///
    /// - Throws: An `EncodingError`, even if only the encoded text is invalid.
    static func encoded(_ value: some Encodable, by encoder: JSONEncoder) throws -> Data {
        let data = try encoder.encode(value)
        guard data.withUnsafeBytes(hasOnlyLettersOfJSON) else {
            let context = EncodingError.Context(
                codingPath: [],
                debugDescription: "The value was encoded as text that cannot be decoded."
            )
            throw EncodingError.invalidValue(value, context)
        }
        return data
    }

    /// Whether all letters outside of strings belong to JSON's words and numbers.
    ///
    /// This finds words such as `NaN` and `Infinity` without parsing the text.
    static func hasOnlyLettersOfJSON(_ text: UnsafeRawBufferPointer) -> Bool {
        var at = 0
        while at < text.count {
            let byte = text[at]
            at += 1
            if byte == UInt8(ascii: "\"") {
                at = endOfString(from: at, in: text)
            } else if byte | 0x20 >= UInt8(ascii: "a"), byte | 0x20 <= UInt8(ascii: "z") {
                guard "truefalsnE".utf8.contains(byte) else { return false }
            }
        }
        return true
    }

    /// Returns the offset behind the quotation mark that ends a string.
    private static func endOfString(from start: Int, in text: UnsafeRawBufferPointer) -> Int {
        var at = start
        while let base = text.baseAddress,
            let found = memchr(base + at, Int32(UInt8(ascii: "\"")), text.count - at)
        {
            let mark = UnsafeRawPointer(found) - base
            let escapes = text[start..<mark].reversed().prefix { $0 == UInt8(ascii: "\\") }
            guard !escapes.count.isMultiple(of: 2) else { return mark + 1 }
            at = mark + 1
        }
        return text.count
    }
}
