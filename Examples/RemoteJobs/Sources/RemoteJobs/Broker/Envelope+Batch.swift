import AMQP
import NIOCore

/// Several outcomes in one message, when they end faster than the broker confirms.
///
/// The body is a JSON array of their payloads. A header holds the properties that each of them has
/// when it travels alone, as AMQP writes them, and the length of its payload.
extension Envelope {
    private static let nothing = ByteBuffer(string: "null")

    /// Makes one message of several; one alone stays as it is.
    static func message(
        of parts: [(MessageProperties, ByteBuffer)]
    ) -> (MessageProperties, ByteBuffer) {
        if parts.count == 1 { return parts[0] }
        var (words, body) = (ByteBuffer(), ByteBuffer(string: "["))
        for (properties, payload) in parts {
            if body.readableBytes > 1 { body.writeString(",") }
            let payload = payload.readableBytes > 0 ? payload : nothing
            words.writeProperties(properties)
            words.writeInteger(UInt32(payload.readableBytes))
            body.writeImmutableBuffer(payload)
        }
        body.writeString("]")
        var properties = MessageProperties()
        properties.deliveryMode = 2
        properties.type = Kind.outcomes.rawValue
        properties.headers = [Header.parts: .bytes(Array(words.readableBytesView))]
        return (properties, body)
    }
}
