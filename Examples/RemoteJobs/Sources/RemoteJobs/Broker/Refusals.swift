import AMQP
import NIOCore

/// Counts the messages that are not used, and says of which one a word is due.
struct Refusals {
    private struct Kind: Hashable {
        let queue: Name
        let reason: String
    }

    /// How many messages of streams one process copies for a look, since they stay where they are.
    private static let mostCopies = 100

    /// How many messages were not used so far.
    private(set) var count = 0
    private var counts: [Kind: Int] = [:]
    private var copies = 0

    /// A message of a queue is not used.
    ///
    /// - Returns: Whether it is the first of its queue with this reason.
    mutating func refused(from queue: String, _ reason: String) -> Bool {
        count += 1
        let kind = Kind(queue: Name(queue), reason: reason)
        counts[kind, default: 0] += 1
        return counts[kind] == 1
    }

    /// Whether a message that stays in its stream is copied.
    mutating func copiesAnother() -> Bool {
        copies += 1
        return copies <= Self.mostCopies
    }

    /// What is put into the queue of refused messages for a look.
    static func report(
        of message: Message,
        from queue: String,
        _ reason: String
    ) -> (MessageProperties, ByteBuffer) {
        let original = message.properties
        var properties = MessageProperties()
        properties.deliveryMode = 2
        properties.type = original.type
        properties.messageID = original.messageID
        properties.correlationID = original.correlationID
        properties.appID = original.appID
        properties.headers = [
            "queue": .string(queue), "reason": .string(reason),
            "key": .string(message.routingKey), "length": .int64(Int64(message.body.readableBytes)),
        ]
        let length = min(message.body.readableBytes, 65_536)
        let body = message.body.getSlice(at: message.body.readerIndex, length: length)
        return (properties, body ?? ByteBuffer())
    }
}
