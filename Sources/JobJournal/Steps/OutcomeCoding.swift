import Foundation
import JobKit

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
    /// - Throws: An `EncodingError`, even if only the encoded text is invalid.
    static func encoded(_ value: some Encodable, by encoder: JSONEncoder) throws -> Data {
        let data = try encoder.encode(value)
        try data.withUnsafeBytes { try check($0, of: value) }
        return data
    }

    /// Encodes each value, half of them on another thread if there are many.
    ///
    /// - Throws: An `EncodingError`, even if only the encoded text is invalid.
    static func encoded(
        each values: [some Encodable & Sendable]
    ) throws -> [ArraySlice<UInt8>] {
        guard values.count >= 64 else { return try encodedTogether(values) }
        let half = values.count / 2
        let texts = Guarded<[Int: Result<[ArraySlice<UInt8>], any Error>]>([:])
        DispatchQueue.concurrentPerform(iterations: 2) { part in
            let values = part == 0 ? values[..<half] : values[half...]
            let result = Result { try encodedTogether(Array(values)) }
            texts.withLock { $0[part] = result }
        }
        let results = texts.withLock { $0 }
        return try (0..<2).flatMap { try results[$0]?.get() ?? [] }
    }

    /// Encodes values with one call of the encoder, because each call is slow.
    private static func encodedTogether(
        _ values: [some Encodable]
    ) throws -> [ArraySlice<UInt8>] {
        let text = Array(try outcome.encode(values).dropFirst().dropLast())
        var ends: [Int] = []
        try text.withUnsafeBytes { try check($0, of: values) { ends.append($0) } }
        if !values.isEmpty { ends.append(text.count) }
        var start = 0
        return ends.map { end in
            defer { start = end + 1 }
            return text[start..<end]
        }
    }

    /// Checks that all letters outside of strings belong to JSON's words and numbers.
    ///
    /// Foundation's encoder writes `NaN` for `Decimal.nan`, which its decoder rejects.
    ///
    /// - Parameters:
    ///   - text: The text of a value, or of values with commas between them.
    ///   - value: The value or values.
    ///   - commaFound: Receives the offset of each comma between values.
    /// - Throws: An `EncodingError` if other letters are found.
    private static func check(
        _ text: UnsafeRawBufferPointer,
        of value: Any,
        commaFound: (Int) -> Void = { _ in }
    ) throws {
        var (at, depth) = (0, 0)
        while at < text.count {
            let byte = text[at]
            at += 1
            switch byte {
            case UInt8(ascii: "\""): at = endOfString(from: at, in: text)
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ","): if depth == 0 { commaFound(at - 1) }
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
                guard "truefalsnE".utf8.contains(byte) else {
                    let context = EncodingError.Context(
                        codingPath: [],
                        debugDescription: "The value was encoded as text that cannot be decoded."
                    )
                    throw EncodingError.invalidValue(value, context)
                }
            default: break
            }
        }
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
