/// What a search has found.
public struct DuplicateReport: Sendable {
    /// The files of equal content, in order of each group's first path.
    public internal(set) var groups: [DuplicateGroup] = []
    /// How many regular files the folders hold, those too small to be compared included.
    public internal(set) var scannedFiles = 0
    /// How many bytes of files were read and hashed, heads and whole files together.
    public internal(set) var hashedBytes: Int64 = 0
    /// The files and folders that could not be read, in order of their paths.
    public internal(set) var problems: [FileProblem] = []
    /// Whether the search went to its end: `false` after a cancel, and before the end.
    public internal(set) var isComplete = false
}
