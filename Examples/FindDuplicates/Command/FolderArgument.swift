import ArgumentParser
import FindDuplicates
import Foundation

/// A folder or file as an argument names it, byte for byte.
struct FolderArgument: ExpressibleByArgument {
    let path: BytePath

    /// Takes an argument that ``ArgumentText`` has made a text of.
    ///
    /// - Parameter argument: The text.
    init?(argument: String) {
        path = BytePath(bytes: ArgumentText.bytes(of: argument))
    }

    /// Why there is nothing to search: it does not exist, or is neither a folder nor a file.
    ///
    /// What exists and may not be read is left to the search, which goes on without it.
    var problem: String? {
        var status = stat()
        guard path.withCString({ stat($0, &status) }) == 0 else {
            return [ENOENT, ENOTDIR].contains(errno) ? "no such file or folder" : nil
        }
        let kind = status.st_mode & S_IFMT
        return kind == S_IFDIR || kind == S_IFREG ? nil : "neither a folder nor a file"
    }

    /// The path as a message may show it: one that would not be seen has quotation marks.
    var shown: [UInt8] {
        path.bytes.isEmpty ? Array("\"\"".utf8) : path.printableBytes
    }
}
