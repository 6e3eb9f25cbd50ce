/// Why bytes from a broker have no meaning.
public enum WireError: Error, Hashable {
    /// A frame or a field ends before it is whole.
    case truncated
    /// A frame is longer than was agreed on, in bytes.
    case frameTooLong(Int)
    /// A frame does not end with the byte that ends frames.
    case wrongFrameEnd(UInt8)
    case unknownFrameType(UInt8)
    case unknownMethod(classID: UInt16, methodID: UInt16)
    case unknownFieldType(UInt8)
    /// A text is not UTF-8.
    case notText
    /// Tables lie in tables too deep.
    case nestedTooDeep
    /// A frame came that its channel did not wait for.
    case unexpectedFrame
    /// A frame has bytes behind its last field.
    case surplusBytes
    /// A body is longer than is taken, in bytes.
    case bodyTooLong(UInt64)
    /// The broker wants frames that are too short, in bytes, for what has to fit into one.
    case framesTooShort(UInt32)
}
