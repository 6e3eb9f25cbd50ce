import NIOCore

/// Puts a message together from a method, a header and any number of pieces.
struct MessageAssembly {
    private enum State {
        case idle
        case awaitingHeader(Method)
        case awaitingBody(Method, MessageProperties, missing: UInt64, ByteBuffer)
    }

    /// The longest body that a message is delivered with, in bytes; RabbitMQ's own limit before 4.0.
    ///
    /// Of a longer one nothing is kept, and the message has a ``MessageProperties/fault``.
    static let longestBody: UInt64 = 128 << 20
    /// The longest body that is waited for, in bytes: RabbitMQ takes no more from a publisher,
    /// whatever its settings.
    static let longestAnnouncement: UInt64 = 512 << 20

    private var state = State.idle

    /// Takes a method that a message follows.
    mutating func begin(_ method: Method) throws(WireError) {
        guard case .idle = state else { throw .unexpectedFrame }
        state = .awaitingHeader(method)
    }

    /// Takes the header.
    ///
    /// - Returns: The method and message, if it has no body.
    mutating func take(
        _ properties: MessageProperties,
        bodyLength: UInt64
    ) throws(WireError) -> (Method, MessageProperties, ByteBuffer)? {
        guard case .awaitingHeader(let method) = state else { throw .unexpectedFrame }
        guard bodyLength <= Self.longestAnnouncement else { throw .bodyTooLong(bodyLength) }
        guard bodyLength > 0 else {
            state = .idle
            return (method, properties, ByteBuffer())
        }
        var properties = properties
        if bodyLength > Self.longestBody { properties.fault = .bodyTooLong(bodyLength) }
        state = .awaitingBody(method, properties, missing: bodyLength, ByteBuffer())
        return nil
    }

    /// Takes a piece of the body.
    ///
    /// - Returns: The method and message, once it is whole.
    mutating func take(
        _ piece: ByteBuffer
    ) throws(WireError) -> (Method, MessageProperties, ByteBuffer)? {
        guard case .awaitingBody(let method, let properties, let missing, var body) = state,
            UInt64(piece.readableBytes) <= missing
        else { throw .unexpectedFrame }
        let rest = missing - UInt64(piece.readableBytes)
        state = .idle
        if case .bodyTooLong? = properties.fault {
            // It is waited for and not kept.
        } else if body.readableBytes == 0 {
            body = piece
            // Room for all of it at once: growing would copy what is there again and again.
            if rest > 0 { body.reserveCapacity(minimumWritableBytes: Int(rest)) }
        } else {
            body.writeImmutableBuffer(piece)
        }
        guard rest == 0 else {
            state = .awaitingBody(method, properties, missing: rest, body)
            return nil
        }
        return (method, properties, body)
    }
}
