/// A regular file, as it was listed.
public struct ScannedFile: Sendable {
    /// The path for opening and for reports.
    public var path: BytePath
    /// The length in bytes.
    public let size: Int64
    /// Identifies the file, regardless of its names.
    public var identity: FileIdentity { stamp.identity }
    /// Distinguishes the file from most others with the same number.
    let stamp: FileStamp
    /// Whether the path may be a symbolic link to the file, which is only possible if the user
    /// named it.
    public let followsLink: Bool
    /// The beginning of the path that may lead through symbolic links.
    ///
    /// If nil, everything except the last name may.
    public var root: SearchRoot?

    /// Creates a file.
    ///
    /// - Parameters:
    ///   - path: The path for opening and for reports.
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
