import ArgumentParser
import FindDuplicates
import Foundation

/// A folder as an argument names it, byte for byte.
struct FolderArgument: ExpressibleByArgument {
    let path: BytePath

    /// Takes an argument that ``ArgumentText`` has made a text of.
    ///
    /// - Parameter argument: The text.
    init?(argument: String) {
        path = BytePath(bytes: ArgumentText.bytes(of: argument))
    }

    /// Why the folder cannot be searched: it does not exist, or is something else.
    ///
    /// One that exists and may not be read is left to the search, which goes on without it.
    var problem: String? {
        var status = stat()
        let result = (path.bytes + [0])
            .withUnsafeBytes { bytes in
                bytes.withMemoryRebound(to: CChar.self) { name in
                    name.baseAddress.map { stat($0, &status) } ?? -1
                }
            }
        guard result == 0 else {
            let missing = [ENOENT, ENOTDIR].contains(errno)
            return missing ? "no such folder" : nil
        }
        return status.st_mode & S_IFMT == S_IFDIR ? nil : "not a folder"
    }
}
