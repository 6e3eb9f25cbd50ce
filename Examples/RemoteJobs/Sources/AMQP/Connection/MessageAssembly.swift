import NIOCore

/// Puts a message together from a method, a header and any number of pieces.
struct MessageAssembly {
    private enum State {
        case idle
        case awaitingHeader(Method)
        case awaitingBody(Method, MessageProperties, missing: UInt64, ByteBuffer)
    }

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
        guard bodyLength > 0 else {
            state = .idle
            return (method, properties, ByteBuffer())
        }
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
        if body.readableBytes == 0 {
            body = piece
        } else {
            state = .idle
            body.writeImmutableBuffer(piece)
        }
        guard rest == 0 else {
            state = .awaitingBody(method, properties, missing: rest, body)
            return nil
        }
        state = .idle
        return (method, properties, body)
    }
}
