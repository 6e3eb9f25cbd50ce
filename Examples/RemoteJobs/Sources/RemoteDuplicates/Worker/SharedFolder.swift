import FindDuplicates
import Foundation

/// The one folder that a worker shows: nothing outside it is listed or read.
public struct SharedFolder: Sendable {
    let path: BytePath
    /// The beginning of each path in the folder, which alone may lead through symbolic links.
    let root: SearchRoot

    /// Takes a folder by its path.
    ///
    /// - Parameter path: The path; where it is relative, it begins at the current folder.
    public init(_ path: BytePath) {
        if path.bytes.first == UInt8(ascii: "/") {
            self.path = path
        } else {
            let current = Array(FileManager.default.currentDirectoryPath.utf8)
            self.path = BytePath(bytes: current + Array("/".utf8) + path.bytes)
        }
        root = SearchRoot(self.path)
    }

    /// Whether the folder is there.
    public var exists: Bool {
        var status = stat()
        return path.withName { stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Says whether a path lies in the folder, as long as no link leads out of it.
    ///
    /// A path with a 0 would be another one to the system, which takes what is before.
    func contains(_ other: BytePath) -> Bool {
        var folder = path.bytes
        if folder.last != UInt8(ascii: "/") { folder.append(UInt8(ascii: "/")) }
        guard other.bytes.starts(with: folder), !other.bytes.contains(0) else { return false }
        return !other.bytes.split(separator: UInt8(ascii: "/")).contains([0x2E, 0x2E])
    }
}

extension BytePath {
    /// Calls a body with the path as C has it.
    func withName<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        (bytes.map { CChar(bitPattern: $0) } + [0])
            .withUnsafeBufferPointer { buffer in
                guard let start = buffer.baseAddress else { preconditionFailure("No buffer") }
                return body(start)
            }
    }
}
