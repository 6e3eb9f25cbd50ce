/// What a search has found.
public struct DuplicateReport: Sendable {
    /// The files of equal content, in order of each group's first path.
    public let groups: [DuplicateGroup]
    /// How many regular files the folders hold, including those too small to be compared.
    public let scannedFiles: Int
    /// How many bytes of files were read to tell them apart.
    public let hashedBytes: Int64
    /// The files and folders that could not be read, in order of their paths, each once.
    public let problems: [FileProblem]
    /// Whether the search went to its end: `false` after a cancel, and before the end.
    public let isComplete: Bool

    /// Puts a report in order.
    ///
    /// - Parameters:
    ///   - groups: The files of equal content, in any order.
    ///   - scannedFiles: How many regular files the folders hold.
    ///   - hashedBytes: How many bytes of files were read.
    ///   - problems: What could not be read, in any order, possibly with repetitions.
    ///   - isComplete: Whether the search went to its end.
    public init(
        groups: [DuplicateGroup] = [],
        scannedFiles: Int = 0,
        hashedBytes: Int64 = 0,
        problems: [FileProblem] = [],
        isComplete: Bool = false
    ) {
        self.groups = groups.sorted { $0.paths[0] < $1.paths[0] }
        self.scannedFiles = scannedFiles
        self.hashedBytes = hashedBytes
        self.problems = Set(problems).sorted { ($0.path, $0.reason) < ($1.path, $1.reason) }
        self.isComplete = isComplete
    }

    /// How many bytes would become free if one file of each group were kept.
    public var freeableBytes: Int64 {
        groups.reduce(0) { sum, group in
            let (bytes, isTooLarge) = group.size
                .multipliedReportingOverflow(by: Int64(group.paths.count - 1))
            guard !isTooLarge, bytes <= .max - sum else { return .max }
            return sum + bytes
        }
    }
}
