extension UnsafeRawBufferPointer {
    /// Reads a little-endian number at an offset inside the buffer.
    func little<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}

extension UnsafeMutableRawBufferPointer {
    func put<Number: FixedWidthInteger & BitwiseCopyable>(little number: Number, at offset: Int) {
        storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
    }
}

extension [UInt8] {
    /// Creates the bytes of several numbers.
    init<each Number: FixedWidthInteger & BitwiseCopyable>(little numbers: repeat each Number) {
        self.init()
        repeat append(little: each numbers)
    }

    mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(little number: Number) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
