/// The bytes of a file, in pieces: the reader of a journal sees nothing else of it.
protocol ByteSource {
    var size: Int { get }

    /// Calls `body` with `count` bytes, which all lie inside the file.
    mutating func read<Value>(
        at offset: Int,
        count: Int,
        _ body: (UnsafeRawBufferPointer) throws -> Value
    ) throws -> Value
}

extension ByteSource {
    mutating func isAllZero(_ range: Range<Int>) throws -> Bool {
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 65_536) {
            let count = min(65_536, range.upperBound - start)
            guard try read(at: start, count: count, { $0.allSatisfy { $0 == 0 } }) else {
                return false
            }
        }
        return true
    }
}
