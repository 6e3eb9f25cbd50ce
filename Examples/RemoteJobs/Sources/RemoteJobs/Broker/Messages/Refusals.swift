import AMQP
import NIOCore

/// Counts refused messages and decides which of them are logged.
struct Refusals {
    private struct Kind: Hashable {
        let queue: Name
        let reason: String
    }

    /// The highest number of stream messages that one process copies for inspection.
    ///
    /// Messages of streams are copied, because they also stay in the stream.
    private static let mostCopies = 100

    /// The number of messages refused so far.
    private(set) var count = 0
    private var counts: [Kind: Int] = [:]
    private var copies = 0

    /// Counts a refused message of a queue.
    ///
    /// - Returns: Whether it is the first one of this queue with this reason.
    mutating func refused(from queue: String, _ reason: String) -> Bool {
        count += 1
        let kind = Kind(queue: Name(queue), reason: reason)
        counts[kind, default: 0] += 1
        return counts[kind] == 1
    }

    /// Counts a refused message of a stream.
    ///
    /// Returns whether it is copied.
    mutating func copiesAnother() -> Bool {
        copies += 1
        return copies <= Self.mostCopies
    }

    /// Creates the copy for the queue of refused messages.
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
