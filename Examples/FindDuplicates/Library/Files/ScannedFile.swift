/// A regular file as its folder's listing found it.
public struct ScannedFile: Sendable {
    /// The path to open it by and to report.
    public var path: BytePath
    /// The length in bytes.
    public let size: Int64
    /// Identifies the file, whatever its names.
    public let identity: FileIdentity
    /// Whether the path may be a symbolic link to the file: only where the user named it.
    public let followsLink: Bool
    /// How many bytes of the path, from its beginning, may lead through symbolic links: those of the
    /// path that was named; nil for all but the last name.
    public var linkable: Int?

    /// Describes a file.
    ///
    /// - Parameters:
    ///   - path: The path to open it by and to report.
    ///   - size: The length in bytes.
    ///   - identity: Identifies the file.
    ///   - followsLink: Whether the path may be a symbolic link to the file.
    public init(path: BytePath, size: Int64, identity: FileIdentity, followsLink: Bool = false) {
        self.path = path
        self.size = size
        self.identity = identity
        self.followsLink = followsLink
    }
}
