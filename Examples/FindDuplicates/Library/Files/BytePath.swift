import Foundation

/// A path as the system's bytes: a name may contain any byte except `/` and 0.
public struct BytePath: Hashable, Sendable {
    /// The bytes of the path, without a 0 at the end.
    public let bytes: [UInt8]

    /// Takes the bytes of a path as they are.
    ///
    /// - Parameter bytes: The path, without a 0 at the end.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Takes the UTF-8 bytes of a text as a path.
    ///
    /// - Parameter text: The path.
    public init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The path of an entry of this folder, with exactly one slash between the two.
    ///
    /// - Parameter name: The entry's name: bytes without a slash, as the folder holds them.
    /// - Returns: The joined path.
    public func appending(_ name: UnsafeRawBufferPointer) -> BytePath {
        let folder = bytes.last == BytePath.slash ? bytes.dropLast() : bytes[...]
        var joined: [UInt8] = []
        joined.reserveCapacity(folder.count + 1 + name.count)
        joined.append(contentsOf: folder)
        joined.append(BytePath.slash)
        joined.append(contentsOf: name)
        return BytePath(bytes: joined)
    }

    /// The path under another path of what it lies in, or of the whole: a file may be named twice.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder or file, with which this path begins.
    ///   - other: The other path of that.
    /// - Returns: The path under the other one.
    func moved(from folder: BytePath, to other: BytePath) -> BytePath {
        // A slash behind a file's name would make the system look for a folder.
        guard self != folder else { return other }
        let name = bytes.dropFirst(folder.bytes.count).drop { $0 == BytePath.slash }
        return name.withUnsafeBytes { other.appending($0) }
    }

    /// Calls a body with the path as C has it.
    ///
    /// - Parameter body: Takes a pointer that is valid until it returns.
    /// - Returns: What `body` returns.
    package func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { buffer in
            for (index, byte) in bytes.enumerated() { buffer[index] = CChar(bitPattern: byte) }
            buffer[bytes.count] = 0
            guard let start = buffer.baseAddress else { preconditionFailure("No buffer") }
            return body(UnsafePointer(start))
        }
    }

    static let slash = UInt8(ascii: "/")
}

extension BytePath: Comparable {
    /// Orders paths by their bytes, whatever those may mean.
    ///
    /// - Parameters:
    ///   - left: A path.
    ///   - right: Another path.
    /// - Returns: Whether `left` comes first.
    public static func < (left: BytePath, right: BytePath) -> Bool {
        left.bytes.withUnsafeBytes { left in
            right.bytes.withUnsafeBytes { right in
                guard let leftStart = left.baseAddress, let rightStart = right.baseAddress else {
                    return left.count < right.count
                }
                let order = memcmp(leftStart, rightStart, min(left.count, right.count))
                return order == 0 ? left.count < right.count : order < 0
            }
        }
    }
}
