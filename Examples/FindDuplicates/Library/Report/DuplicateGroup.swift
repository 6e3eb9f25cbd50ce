/// Files with equal content.
public struct DuplicateGroup: Sendable, Hashable {
    /// The length of each file in bytes.
    public let size: Int64
    /// At least two paths of different files, in order of their bytes.
    public let paths: [BytePath]

    /// Creates a group.
    ///
    /// - Parameters:
    ///   - size: The length of each file in bytes.
    ///   - paths: At least two paths, in order of their bytes.
    public init(size: Int64, paths: [BytePath]) {
        self.size = size
        self.paths = paths
    }
}
