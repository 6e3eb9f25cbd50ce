import NIOCore

/// Assembles a message from a method, a header and any number of body frames.
struct MessageAssembly {
    private enum State {
        case idle
        case awaitingHeader(Method)
        case awaitingBody(Method, MessageProperties, missing: UInt64, ByteBuffer)
    }

    /// The longest body that is delivered, in bytes.
    ///
    /// It is RabbitMQ's own limit before 4.0. A longer body is discarded, and its message has a
    /// ``MessageProperties/fault``.
    static let longestBody: UInt64 = 128 << 20
    /// The longest body that the assembly reads to its end, in bytes.
    ///
    /// RabbitMQ never accepts more from a publisher, regardless of its settings.
    static let longestAnnouncement: UInt64 = 512 << 20

    private var state = State.idle

    /// Accepts a method that a message follows.
    mutating func begin(_ method: Method) throws(WireError) {
        guard case .idle = state else { throw .unexpectedFrame }
        state = .awaitingHeader(method)
    }

    /// Accepts the header.
    ///
    /// - Returns: The method and the message if the message has no body.
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

    /// Accepts a body frame.
    ///
    /// - Returns: The method and the message once the body is complete.
    mutating func take(
        _ piece: ByteBuffer
    ) throws(WireError) -> (Method, MessageProperties, ByteBuffer)? {
        guard case .awaitingBody(let method, let properties, let missing, var body) = state,
            UInt64(piece.readableBytes) <= missing
        else { throw .unexpectedFrame }
        let rest = missing - UInt64(piece.readableBytes)
        state = .idle
        if case .bodyTooLong? = properties.fault {
            // The piece is counted and discarded.
        } else if body.readableBytes == 0 {
            body = piece
            // Reserves room for the whole body, because growing step by step would copy it
            // repeatedly.
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
