import NIOCore

/// A message that has come from the broker.
package struct Message: Sendable {
    package let properties: MessageProperties
    package let body: ByteBuffer
    package let exchange: String
    package let routingKey: String
    /// The number to acknowledge it by, on the channel that it came on; 0 of one that came back.
    package let deliveryTag: UInt64
    /// Whether it was delivered before.
    package let isRedelivered: Bool

    /// A header of the message.
    package func header(_ name: String) -> FieldValue? { properties.headers?[name] }

    /// The same delivery with other contents: one of several that were put into it.
    package func part(_ properties: MessageProperties, _ body: ByteBuffer) -> Message {
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
