import NIOCore

/// A message from the broker.
public struct Message: Sendable {
    /// The properties of the message.
    public let properties: MessageProperties
    /// The complete body.
    public let body: ByteBuffer
    /// The exchange that it was published to.
    public let exchange: String
    /// The routing key.
    ///
    /// Bytes that are not UTF-8 are replaced.
    public let routingKey: String
    /// The number that acknowledges it on its channel, or 0 for a returned message.
    public let deliveryTag: UInt64
    /// Whether it was delivered before.
    public let isRedelivered: Bool

    /// Returns a header of the message.
    public func header(_ name: String) -> FieldValue? { properties.headers?[name] }

    /// Returns the same delivery with one of the messages that were packed into it.
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
