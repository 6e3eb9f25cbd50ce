import Foundation

/// A path in the system's bytes, because a name may contain any byte except `/` and NUL.
public struct BytePath: Hashable, Sendable {
    /// The bytes of the path, without a NUL at the end.
    public let bytes: [UInt8]

    /// Creates a path from its bytes.
    ///
    /// - Parameter bytes: The path, without a NUL at the end.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Creates a path from the UTF-8 bytes of a text.
    ///
    /// - Parameter text: The path.
    public init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Returns the path of an entry of this folder, with exactly one slash before the name.
    ///
    /// - Parameter name: The entry's name: bytes without a slash, as the folder contains them.
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

    /// Replaces the path of a folder at the beginning of this path, or the whole path.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder or file, with which this path begins.
    ///   - other: Another path of the same folder or file.
    /// - Returns: The path with the other beginning.
    func moved(from folder: BytePath, to other: BytePath) -> BytePath {
        // With a slash after a file's name, the system would look for a folder.
        guard self != folder else { return other }
        let name = bytes.dropFirst(folder.bytes.count).drop { $0 == BytePath.slash }
        return name.withUnsafeBytes { other.appending($0) }
    }

    /// Calls a closure with the path as a C string.
    ///
    /// - Parameter body: Receives a pointer that is valid until it returns.
    /// - Returns: The result of `body`.
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
    /// Orders paths by their bytes.
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
