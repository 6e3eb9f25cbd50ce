/// What travels with a message beside its body.
package struct MessageProperties: Sendable, Hashable {
    package var contentType: String?
    package var contentEncoding: String?
    package var headers: FieldTable?
    /// 2 for a message that is written to disk.
    package var deliveryMode: UInt8?
    package var priority: UInt8?
    package var correlationID: String?
    package var replyTo: String?
    package var expiration: String?
    package var messageID: String?
    /// Seconds since 1970.
    package var timestamp: UInt64?
    package var type: String?
    package var userID: String?
    package var appID: String?

    /// Properties of which none is set.
    package init() {}
}
