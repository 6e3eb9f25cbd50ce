/// Files of equal content.
public struct DuplicateGroup: Sendable, Equatable {
    /// The length of each of the files in bytes.
    public let size: Int64
    /// At least two paths of different files, in order of their bytes.
    public let paths: [BytePath]
}
