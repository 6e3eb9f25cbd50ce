/// A regular file as its folder's listing found it.
struct ScannedFile: Sendable {
    /// The path to open it by and to report; of several hard links, the first in order of bytes.
    var path: BytePath
    /// The length in bytes.
    let size: Int64
    let identity: FileIdentity
    /// Whether the file has further names that may be found too.
    let hasHardLinks: Bool
}
