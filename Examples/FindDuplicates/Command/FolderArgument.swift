import ArgumentParser
import FindDuplicates
import Foundation

/// A folder or file in an argument, byte for byte.
struct FolderArgument: ExpressibleByArgument {
    let path: BytePath

    /// Parses an argument that ``ArgumentText`` has converted to text.
    ///
    /// - Parameter argument: The text.
    init?(argument: String) {
        path = BytePath(bytes: ArgumentText.bytes(of: argument))
    }

    /// The reason why it cannot be searched: it does not exist, or is neither a folder nor a file.
    ///
    /// If it exists but may not be read, the search reports it and continues without it.
    var problem: String? {
        var status = stat()
        guard path.withCString({ stat($0, &status) }) == 0 else {
            return [ENOENT, ENOTDIR].contains(errno) ? "no such file or folder" : nil
        }
        let kind = status.st_mode & S_IFMT
        return kind == S_IFDIR || kind == S_IFREG ? nil : "neither a folder nor a file"
    }

    /// The path for a message.
    ///
    /// If it would be invisible, it is quoted.
    var shown: [UInt8] {
        path.bytes.isEmpty ? Array("\"\"".utf8) : path.printableBytes
    }
}
