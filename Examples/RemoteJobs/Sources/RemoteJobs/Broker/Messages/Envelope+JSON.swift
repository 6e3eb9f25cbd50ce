import Foundation
import NIOCore

extension Envelope {
    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }()
    private static let decoder = JSONDecoder()

    /// Any value, of which only the text is read.
    private struct AnyText: Decodable {
        init(from decoder: any Decoder) {}
    }

    /// Encodes a value as text that can be decoded.
    ///
    /// - Throws: The encoder's error, or an `EncodingError` if only the encoded text is invalid.
    package static func body(of value: some Encodable) throws -> ByteBuffer {
        let text = try encoder.encode(value)
        // Foundation's encoder writes `NaN` for `Decimal.nan`, which its decoder rejects.
        guard (try? decoder.decode(AnyText.self, from: text)) != nil else {
            let context = EncodingError.Context(
                codingPath: [],
                debugDescription: "The value was encoded as text that cannot be decoded."
            )
            throw EncodingError.invalidValue(value, context)
        }
        return ByteBuffer(bytes: text)
    }

    static func value<Value: Decodable>(_ type: Value.Type, in body: ByteBuffer) throws -> Value {
        try decoder.decode(type, from: Data(body.readableBytesView))
    }
}
