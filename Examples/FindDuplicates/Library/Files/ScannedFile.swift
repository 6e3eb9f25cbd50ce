/// A regular file as its folder's listing found it.
public struct ScannedFile: Sendable {
    /// The path to open it by and to report.
    public var path: BytePath
    /// The length in bytes.
    public let size: Int64
    /// Identifies the file, whatever its names.
    public var identity: FileIdentity { stamp.identity }
    /// Tells the file from another one of the same number.
    let stamp: FileStamp
    /// Whether the path may be a symbolic link to the file: only if the user named it.
    public let followsLink: Bool
    /// The beginning of the path that may lead through symbolic links, or nil for all but the last
    /// name.
    public var root: SearchRoot?

    /// Describes a file.
    ///
    /// - Parameters:
    ///   - path: The path to open it by and to report.
    ///   - size: The length in bytes.
    ///   - stamp: Identifies the file.
    ///   - followsLink: Whether the path may be a symbolic link to the file.
    init(path: BytePath, size: Int64, stamp: FileStamp, followsLink: Bool = false) {
        self.path = path
        self.size = size
        self.stamp = stamp
        self.followsLink = followsLink
    }
}
