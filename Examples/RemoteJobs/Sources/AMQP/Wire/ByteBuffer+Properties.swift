import NIOCore

extension ByteBuffer {
    /// Reads properties in the form of ``writeProperties(_:)``.
    package mutating func requireProperties() throws(WireError) -> MessageProperties {
        let flags = try require(UInt16.self)
        // The lowest bit would announce a second word of flags, which no known property needs.
        guard flags & 0b11 == 0 else { throw .unexpectedFrame }
        var properties = MessageProperties()
        if flags & 1 << 15 != 0 { properties.contentType = try requireShortText() }
        if flags & 1 << 14 != 0 { properties.contentEncoding = try requireShortText() }
        if flags & 1 << 13 != 0 { properties.headers = try requireTable() }
        if flags & 1 << 12 != 0 { properties.deliveryMode = try require() }
        if flags & 1 << 11 != 0 { properties.priority = try require() }
        if flags & 1 << 10 != 0 { properties.correlationID = try requireShortText() }
        if flags & 1 << 9 != 0 { properties.replyTo = try requireShortText() }
        if flags & 1 << 8 != 0 { properties.expiration = try requireShortText() }
        if flags & 1 << 7 != 0 { properties.messageID = try requireShortText() }
        if flags & 1 << 6 != 0 { properties.timestamp = try require() }
        if flags & 1 << 5 != 0 { properties.type = try requireShortText() }
        if flags & 1 << 4 != 0 { properties.userID = try requireShortText() }
        if flags & 1 << 3 != 0 { properties.appID = try requireShortText() }
        if flags & 1 << 2 != 0 { _ = try requireShortText() }
        return properties
    }

    /// Reads the properties of a message, which fill the rest of the frame.
    ///
    /// - Returns: The properties. If the publisher has sent invalid bytes, empty properties with a
    ///   ``MessageProperties/fault``.
    mutating func readPublishersProperties() -> MessageProperties {
        do {
            let properties = try requireProperties()
            guard readableBytes == 0 else { throw WireError.surplusBytes }
            return properties
        } catch {
            moveReaderIndex(to: writerIndex)
            var properties = MessageProperties()
            properties.fault = error as? WireError ?? .truncated
            return properties
        }
    }

    /// Writes properties in the form that they have in a frame.
    package mutating func writeProperties(_ properties: MessageProperties) {
        let place = writerIndex
        var flags: UInt16 = 0
        writeInteger(flags)
        func writeText(_ text: String?, _ bit: UInt16, to buffer: inout ByteBuffer) {
            guard let text else { return }
            flags |= 1 << bit
            buffer.writeShortText(text)
        }
        func writeNumber<Number: FixedWidthInteger>(
            _ number: Number?,
            _ bit: UInt16,
            to buffer: inout ByteBuffer
        ) {
            guard let number else { return }
            flags |= 1 << bit
            buffer.writeInteger(number)
        }
        writeText(properties.contentType, 15, to: &self)
        writeText(properties.contentEncoding, 14, to: &self)
        if let headers = properties.headers {
            flags |= 1 << 13
            writeTable(headers)
        }
        writeNumber(properties.deliveryMode, 12, to: &self)
        writeNumber(properties.priority, 11, to: &self)
        writeText(properties.correlationID, 10, to: &self)
        writeText(properties.replyTo, 9, to: &self)
        writeText(properties.expiration, 8, to: &self)
        writeText(properties.messageID, 7, to: &self)
        writeNumber(properties.timestamp, 6, to: &self)
        writeText(properties.type, 5, to: &self)
        writeText(properties.userID, 4, to: &self)
        writeText(properties.appID, 3, to: &self)
        setInteger(flags, at: place)
    }
}
