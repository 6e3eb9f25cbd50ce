/// The full name of a step: its scopes, outermost first, and its key.
///
/// Each part is stored as its length in four bytes, followed by its UTF-8. Therefore, different
/// lists of parts always have different bytes.
struct StepPath: Hashable, Sendable {
    private(set) var bytes: [UInt8] = []

    func appending(_ part: String) -> StepPath {
        var path = self
        let text = part.utf8
        path.bytes.reserveCapacity(bytes.count + 4 + text.count)
        path.bytes.append(little: UInt32(text.count))
        path.bytes.append(contentsOf: text)
        return path
    }

    /// Returns the end of each part of a path.
    ///
    /// Nil if the bytes are not a path.
    static func ends(in bytes: UnsafeRawBufferPointer) -> [Int]? {
        var ends: [Int] = []
        var at = 0
        while at < bytes.count {
            guard bytes.count - at >= 4 else { return nil }
            let length: UInt32 = bytes.little(at)
            guard Int(length) <= bytes.count - at - 4 else { return nil }
            at += 4 + Int(length)
            ends.append(at)
        }
        return ends.isEmpty ? nil : ends
    }
}
