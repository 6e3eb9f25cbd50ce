import AMQP
import NIOCore

/// Packs outcomes into one message if they come faster than the broker confirms.
///
/// The body is a JSON array of their payloads. For each outcome, a header holds the length of its
/// payload and the AMQP properties that it has as a separate message.
extension Envelope {
    private static let nothing = ByteBuffer(string: "null")

    /// Packs several messages into one.
    ///
    /// A single message stays unchanged.
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
