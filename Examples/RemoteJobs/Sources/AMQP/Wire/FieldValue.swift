/// A value in an AMQP table: a message header or a declaration argument.
public enum FieldValue: Sendable, Hashable {
    case boolean(Bool)
    case int8(Int8)
    case uint8(UInt8)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case float(Float)
    case double(Double)
    case decimal(scale: UInt8, value: UInt32)
    case string(String)
    case bytes([UInt8])
    case array([FieldValue])
    /// Seconds since 1970.
    case timestamp(UInt64)
    case table(FieldTable)
    case void
}

/// Values of a table, by name.
public typealias FieldTable = [String: FieldValue]

extension FieldValue {
    /// The integer of any size, or nil for other values.
    public var integer: Int? {
        switch self {
        case .int8(let value): Int(value)
        case .uint8(let value): Int(value)
        case .int16(let value): Int(value)
        case .uint16(let value): Int(value)
        case .int32(let value): Int(value)
        case .uint32(let value): Int(value)
        case .int64(let value): Int(value)
        case .timestamp(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The text, or nil for other values.
    public var text: String? {
        if case .string(let text) = self { return text }
        return nil
    }
}
