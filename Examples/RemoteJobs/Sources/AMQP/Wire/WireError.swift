/// The reason why bytes from a broker are invalid.
public enum WireError: Error, Hashable {
    /// A frame or a field ends too early.
    case truncated
    /// A frame is longer than the negotiated size.
    ///
    /// The value is its length in bytes.
    case frameTooLong(Int)
    /// A frame does not end with the end marker.
    case wrongFrameEnd(UInt8)
    case unknownFrameType(UInt8)
    case unknownMethod(classID: UInt16, methodID: UInt16)
    case unknownFieldType(UInt8)
    /// A text is not UTF-8.
    case notText
    /// Tables are nested too deeply.
    case nestedTooDeep
    /// The channel did not expect this frame.
    case unexpectedFrame
    /// A frame has bytes after its last field.
    case surplusBytes
    /// A body is longer than the accepted length.
    ///
    /// The value is its length in bytes.
    case bodyTooLong(UInt64)
    /// The broker's frame size is too small for the fields that must fit into one frame.
    case framesTooShort(UInt32)
}
