/// The full name of a step: its scopes, outermost first, and its key.
///
/// Each part is its length in four bytes and its UTF-8, so that no two lists of parts read alike,
/// whatever stands in them.
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

    /// Where each part of a path ends; nil where the bytes are none.
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
