import NIOCore

/// A message that has come from the broker.
public struct Message: Sendable {
    /// What travels beside the body.
    public let properties: MessageProperties
    /// The body, whole.
    public let body: ByteBuffer
    /// The exchange that it was published to.
    public let exchange: String
    /// The key that it was published with; what was not UTF-8 in it is replaced.
    public let routingKey: String
    /// The number to acknowledge it by, on the channel that it came on; 0 of one that came back.
    public let deliveryTag: UInt64
    /// Whether it was delivered before.
    public let isRedelivered: Bool

    /// A header of the message.
    public func header(_ name: String) -> FieldValue? { properties.headers?[name] }

    /// The same delivery with other contents: one of several that were put into it.
    public func part(_ properties: MessageProperties, _ body: ByteBuffer) -> Message {
        Message(
            properties: properties,
            body: body,
            exchange: exchange,
            routingKey: routingKey,
            deliveryTag: deliveryTag,
            isRedelivered: isRedelivered
        )
    }
}
