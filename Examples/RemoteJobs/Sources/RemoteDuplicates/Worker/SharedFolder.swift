import FindDuplicates
import Foundation

/// The only folder that a worker lists and reads.
public struct SharedFolder: Sendable {
    let path: BytePath
    /// The first part of each path in the folder.
    ///
    /// Only this part may lead through symbolic links.
    let root: SearchRoot

    /// Creates a shared folder from its path.
    ///
    /// - Parameter path: The path. If it is relative, it begins at the current folder.
    public init(_ path: BytePath) {
        if path.bytes.first == UInt8(ascii: "/") {
            self.path = path
        } else {
            let current = Array(FileManager.default.currentDirectoryPath.utf8)
            self.path = BytePath(bytes: current + Array("/".utf8) + path.bytes)
        }
        root = SearchRoot(self.path)
    }

    /// Whether the folder exists.
    public var exists: Bool {
        var status = stat()
        return path.withName { stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Checks whether a path is in the folder, provided that no link leads out of it.
    ///
    /// A path with a NUL is rejected, because the system would only see the part before it.
    func contains(_ other: BytePath) -> Bool {
        var folder = path.bytes
        if folder.last != UInt8(ascii: "/") { folder.append(UInt8(ascii: "/")) }
        guard other.bytes.starts(with: folder), !other.bytes.contains(0) else { return false }
        return !other.bytes.split(separator: UInt8(ascii: "/")).contains([0x2E, 0x2E])
    }
}

extension BytePath {
    /// Calls a closure with the path as a C string.
    func withName<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        (bytes.map { CChar(bitPattern: $0) } + [0])
            .withUnsafeBufferPointer { buffer in
                guard let start = buffer.baseAddress else { preconditionFailure("No buffer") }
                return body(start)
            }
    }
}
