/// Reads the bytes of a file, one piece at a time.
protocol ByteSource {
    var size: Int { get }

    /// Calls `body` with `count` bytes, which must all be inside the file.
    mutating func read<Value>(
        at offset: Int,
        count: Int,
        _ body: (UnsafeRawBufferPointer) throws -> Value
    ) throws -> Value
}

extension ByteSource {
    /// Checks the record at a location, and calls `body` with it.
    ///
    /// - Returns: The result of `body`. Nil if the record is damaged.
    mutating func record<Value>(
        at location: RecordLocation,
        with fileKey: FileKey,
        _ body: (FoundRecord) throws -> Value?
    ) throws -> Value? {
        try read(at: location.offset, count: location.size) { all in
            let payload = UnsafeRawBufferPointer(rebasing: all[Record.headerSize...])
            guard let header = Record.Header(all, at: location.offset, with: fileKey),
                header.matches(payload, with: fileKey)
            else { return nil }
            let record = FoundRecord(
                kind: header.kind,
                payload: payload,
                location: location,
                fileKey: fileKey
            )
            return try body(record)
        }
    }

    mutating func isAllZero(_ range: Range<Int>) throws -> Bool {
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 65_536) {
            let count = min(65_536, range.upperBound - start)
            guard try read(at: start, count: count, { $0.allSatisfy { $0 == 0 } }) else {
                return false
            }
        }
        return true
    }

    /// Returns the offset behind the last nonzero byte, or `start` if only zeros follow it.
    mutating func endOfNonzeros(after start: Int) throws -> Int {
        var end = size
        while end > start {
            let count = min(65_536, end - start)
            let last = try read(at: end - count, count: count) { $0.lastIndex { $0 != 0 } }
            if let last { return end - count + last + 1 }
            end -= count
        }
        return start
    }
}
