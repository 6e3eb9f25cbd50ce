import NIOCore

/// A frame, the unit of transfer in AMQP.
package enum Frame: Sendable, Hashable {
    case method(Method, channel: UInt16)
    /// Precedes a message body and holds its length in bytes.
    case header(MessageProperties, bodyLength: UInt64, channel: UInt16)
    /// A piece of a message body.
    case body(ByteBuffer, channel: UInt16)
    case heartbeat

    /// The bytes of a frame around its content: type, channel, length and end marker.
    static let overhead = 8
    static let end: UInt8 = 0xCE
}

extension ByteBuffer {
    /// Reads a frame if all of its bytes have arrived.
    ///
    /// - Parameter longest: The negotiated frame size, in bytes.
    /// - Returns: The frame, or nil if bytes are missing. In this case, nothing is read.
    /// - Throws: An error if the bytes are invalid. The bytes after them are then invalid too.
    package mutating func readFrame(longest: Int) throws(WireError) -> Frame? {
        let start = readerIndex
        guard readableBytes >= 7,
            let type = getInteger(at: start, as: UInt8.self),
            let channel = getInteger(at: start + 1, as: UInt16.self),
            let length = getInteger(at: start + 3, as: UInt32.self)
        else { return nil }
        guard Int(length) + Frame.overhead <= longest else {
            throw .frameTooLong(Int(length) + Frame.overhead)
        }
        guard (1...3).contains(type) || type == 8 else { throw .unknownFrameType(type) }
        guard readableBytes >= Int(length) + Frame.overhead else { return nil }
        moveReaderIndex(forwardBy: 7)
        guard var content = readSlice(length: Int(length)) else { throw .truncated }
        let end = try require(UInt8.self)
        guard end == Frame.end else { throw .wrongFrameEnd(end) }
        switch type {
        case 1: return .method(try content.requireMethod(), channel: channel)
        case 2:
            guard try content.require(UInt16.self) == 60 else { throw .unexpectedFrame }
            _ = try content.require(UInt16.self)
            let bodyLength = try content.require(UInt64.self)
            let properties = content.readPublishersProperties()
            return .header(properties, bodyLength: bodyLength, channel: channel)
        case 3: return .body(content, channel: channel)
        default: return .heartbeat
        }
    }

    /// Writes a frame.
    package mutating func writeFrame(_ frame: Frame) {
        switch frame {
        case .method(let method, let channel):
            writeFrame(type: 1, channel: channel) { $0.writeMethod(method) }
        case .header(let properties, let bodyLength, let channel):
            writeFrame(type: 2, channel: channel) { buffer in
                buffer.writeInteger(UInt16(60))
                buffer.writeInteger(UInt16(0))
                buffer.writeInteger(bodyLength)
                buffer.writeProperties(properties)
            }
        case .body(let body, let channel):
            writeFrame(type: 3, channel: channel) { $0.writeImmutableBuffer(body) }
        case .heartbeat:
            writeFrame(type: 8, channel: 0) { _ in }
        }
    }

    /// Writes a message as a method, a header, and as many frames as its body needs.
    mutating func writeMessage(
        _ method: Method,
        _ properties: MessageProperties,
        _ body: ByteBuffer,
        channel: UInt16,
        longestFrame: Int
    ) {
        writeFrame(.method(method, channel: channel))
        let length = UInt64(body.readableBytes)
        writeFrame(.header(properties, bodyLength: length, channel: channel))
        var rest = body
        while rest.readableBytes > 0 {
            let count = min(rest.readableBytes, longestFrame - Frame.overhead)
            guard let piece = rest.readSlice(length: count) else { return }
            writeFrame(.body(piece, channel: channel))
        }
    }

    private mutating func writeFrame(
        type: UInt8,
        channel: UInt16,
        _ content: (inout ByteBuffer) -> Void
    ) {
        writeInteger(type)
        writeInteger(channel)
        let place = writerIndex
        writeInteger(UInt32(0))
        content(&self)
        setInteger(UInt32(writerIndex - place - 4), at: place)
        writeInteger(Frame.end)
    }
}
