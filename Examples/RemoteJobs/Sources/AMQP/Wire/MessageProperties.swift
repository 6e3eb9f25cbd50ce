/// The properties of a message, which travel with its body.
public struct MessageProperties: Sendable, Hashable {
    /// The MIME type of the body.
    public var contentType: String?
    /// The encoding of the body.
    public var contentEncoding: String?
    /// Further values from the publisher, and values that the broker adds.
    public var headers: FieldTable?
    /// 2 for a message that is written to disk.
    public var deliveryMode: UInt8?
    /// The priority of the message, for queues that support priorities.
    public var priority: UInt8?
    /// An identifier of the exchange of messages that the message belongs to.
    public var correlationID: String?
    /// The address for a reply.
    public var replyTo: String?
    /// The time until the broker drops the message, in milliseconds, as text.
    public var expiration: String?
    /// The identifier of the message.
    public var messageID: String?
    /// Seconds since 1970.
    public var timestamp: UInt64?
    /// The kind of the message.
    public var type: String?
    /// The user that published the message.
    ///
    /// The broker checks it.
    public var userID: String?
    /// The program that published the message.
    public var appID: String?
    /// The reason why the properties of a received message could not be read.
    ///
    /// If it is set, the other properties are empty. Brokers pass on the properties that a
    /// publisher writes without a check. Therefore, invalid properties are an error of the message
    /// and not of the connection.
    public internal(set) var fault: WireError?

    /// Creates empty properties.
    public init() {}
}
