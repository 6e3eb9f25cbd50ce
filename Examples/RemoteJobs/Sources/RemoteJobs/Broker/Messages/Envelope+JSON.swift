import Foundation
import NIOCore

extension Envelope {
    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }()
    private static let decoder = JSONDecoder()

    package static func body(of value: some Encodable) throws -> ByteBuffer {
        ByteBuffer(bytes: try encoder.encode(value))
    }

    static func value<Value: Decodable>(_ type: Value.Type, in body: ByteBuffer) throws -> Value {
        try decoder.decode(type, from: Data(body.readableBytesView))
    }
}
