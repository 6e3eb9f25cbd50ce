/// What travels with a message beside its body.
public struct MessageProperties: Sendable, Hashable {
    /// The MIME type of the body.
    public var contentType: String?
    /// The encoding of the body.
    public var contentEncoding: String?
    /// What the publisher says besides, and what the broker adds.
    public var headers: FieldTable?
    /// 2 for a message that is written to disk.
    public var deliveryMode: UInt8?
    /// How urgent the message is, for queues that heed it.
    public var priority: UInt8?
    /// What the message belongs to.
    public var correlationID: String?
    /// Where an answer goes.
    public var replyTo: String?
    /// After how many milliseconds the broker drops the message, as text.
    public var expiration: String?
    /// What the message is known by.
    public var messageID: String?
    /// Seconds since 1970.
    public var timestamp: UInt64?
    /// What kind of message it is.
    public var type: String?
    /// The publisher, which the broker checks.
    public var userID: String?
    /// The program that has published it.
    public var appID: String?
    /// Why the properties of a message that has come could not be read; they are empty then.
    ///
    /// A publisher says what it likes in them, and its broker passes that on: the message is what is
    /// wrong, not the connection.
    public internal(set) var fault: WireError?

    /// Properties of which none is set.
    public init() {}
}
