import NIOCore

/// Reads and writes the elementary fields of AMQP 0-9-1.
extension ByteBuffer {
    private static let deepestTable = 32

    mutating func require<Number: FixedWidthInteger>(
        _ type: Number.Type = Number.self
    ) throws(WireError) -> Number {
        guard let number = readInteger(as: type) else { throw .truncated }
        return number
    }

    mutating func requireText(length: Int) throws(WireError) -> String {
        guard length <= readableBytes else { throw .truncated }
        let text = readableBytesView.prefix(length)
            .withUnsafeBytes {
                String(validating: $0, as: UTF8.self)
            }
        moveReaderIndex(forwardBy: length)
        guard let text else { throw .notText }
        return text
    }

    mutating func requireShortText() throws(WireError) -> String {
        try requireText(length: Int(require(UInt8.self)))
    }

    /// Reads a text from a publisher.
    ///
    /// Bytes that are not UTF-8 are replaced.
    mutating func requirePublishersText() throws(WireError) -> String {
        let length = Int(try require(UInt8.self))
        guard let bytes = readBytes(length: length) else { throw .truncated }
        return String(decoding: bytes, as: UTF8.self)
    }

    mutating func requireLongBytes() throws(WireError) -> [UInt8] {
        let length = Int(try require(UInt32.self))
        guard let bytes = readBytes(length: length) else { throw .truncated }
        return bytes
    }

    mutating func requireTable(depth: Int = 0) throws(WireError) -> FieldTable {
        let length = Int(try require(UInt32.self))
        guard depth < ByteBuffer.deepestTable else { throw .nestedTooDeep }
        guard var bytes = readSlice(length: length) else { throw .truncated }
        var table: FieldTable = [:]
        while bytes.readableBytes > 0 {
            let name = try bytes.requireShortText()
            table[name] = try bytes.requireValue(depth: depth)
        }
        return table
    }

    private mutating func requireValue(depth: Int) throws(WireError) -> FieldValue {
        let type = try require(UInt8.self)
        switch UnicodeScalar(type) {
        case "t": return .boolean(try require(UInt8.self) != 0)
        case "b": return .int8(try require())
        case "B": return .uint8(try require())
        case "s": return .int16(try require())
        case "u": return .uint16(try require())
        case "I": return .int32(try require())
        case "i": return .uint32(try require())
        case "l", "L": return .int64(try require())
        case "f": return .float(Float(bitPattern: try require()))
        case "d": return .double(Double(bitPattern: try require()))
        case "D": return .decimal(scale: try require(), value: try require())
        case "S":
            let bytes = try requireLongBytes()
            return String(validating: bytes, as: UTF8.self).map { .string($0) } ?? .bytes(bytes)
        case "x": return .bytes(try requireLongBytes())
        case "A":
            let length = Int(try require(UInt32.self))
            guard depth < ByteBuffer.deepestTable else { throw .nestedTooDeep }
            guard var bytes = readSlice(length: length) else { throw .truncated }
            var values: [FieldValue] = []
            while bytes.readableBytes > 0 {
                values.append(try bytes.requireValue(depth: depth + 1))
            }
            return .array(values)
        case "T": return .timestamp(try require())
        case "F": return .table(try requireTable(depth: depth + 1))
        case "V": return .void
        default: throw .unknownFieldType(type)
        }
    }

    // MARK: Writing

    /// Writes a text of at most 255 bytes.
    ///
    /// A longer one is a programming error.
    mutating func writeShortText(_ text: String) {
        let utf8 = text.utf8
        precondition(utf8.count <= 255, "A short text of AMQP has at most 255 bytes: \(text)")
        writeInteger(UInt8(utf8.count))
        writeString(text)
    }

    mutating func writeLongBytes(_ bytes: some Collection<UInt8>) {
        writeInteger(UInt32(bytes.count))
        writeBytes(bytes)
    }

    mutating func writeTable(_ table: FieldTable) {
        writeCounted { buffer in
            for (name, value) in table {
                buffer.writeShortText(name)
                buffer.writeValue(value)
            }
        }
    }

    /// Writes the length in bytes of the output of `body`, followed by that output.
    private mutating func writeCounted(_ body: (inout ByteBuffer) -> Void) {
        let place = writerIndex
        writeInteger(UInt32(0))
        body(&self)
        setInteger(UInt32(writerIndex - place - 4), at: place)
    }

    private mutating func writeValue(_ value: FieldValue) {
        switch value {
        case .boolean(let value): write("t", UInt8(value ? 1 : 0))
        case .int8(let value): write("b", value)
        case .uint8(let value): write("B", value)
        case .int16(let value): write("s", value)
        case .uint16(let value): write("u", value)
        case .int32(let value): write("I", value)
        case .uint32(let value): write("i", value)
        case .int64(let value): write("l", value)
        case .float(let value): write("f", value.bitPattern)
        case .double(let value): write("d", value.bitPattern)
        case .decimal(let scale, let value):
            write("D", scale)
            writeInteger(value)
        case .string(let text):
            writeType("S")
            writeLongBytes(text.utf8)
        case .bytes(let bytes):
            writeType("x")
            writeLongBytes(bytes)
        case .array(let values):
            writeType("A")
            writeCounted { buffer in
                for value in values { buffer.writeValue(value) }
            }
        case .timestamp(let seconds): write("T", seconds)
        case .table(let table):
            writeType("F")
            writeTable(table)
        case .void: writeType("V")
        }
    }

    private mutating func writeType(_ type: UnicodeScalar) {
        writeInteger(UInt8(ascii: type))
    }

    private mutating func write(_ type: UnicodeScalar, _ number: some FixedWidthInteger) {
        writeType(type)
        writeInteger(number)
    }
}
