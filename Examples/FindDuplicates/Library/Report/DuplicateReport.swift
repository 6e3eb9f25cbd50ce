/// The result of a search.
public struct DuplicateReport: Sendable {
    /// The groups of equal files, in order of each group's first path.
    public let groups: [DuplicateGroup]
    /// The number of regular files, including those that are too small to be compared.
    public let scannedFiles: Int
    /// The number of bytes that were read to distinguish files.
    public let hashedBytes: Int64
    /// The files and folders that could not be read, each once, in order of their paths.
    public let problems: [FileProblem]
    /// Whether the search was completed.
    ///
    /// It is `false` after cancellation and during the search.
    public let isComplete: Bool

    /// Creates a report and sorts its parts.
    ///
    /// - Parameters:
    ///   - groups: The groups of equal files, in any order.
    ///   - scannedFiles: The number of regular files.
    ///   - hashedBytes: The number of bytes that were read.
    ///   - problems: The problems, in any order, possibly with repetitions.
    ///   - isComplete: Whether the search was completed.
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

    /// The number of bytes that become free if one file of each group is kept.
    public var freeableBytes: Int64 {
        groups.reduce(0) { sum, group in
            let (bytes, isTooLarge) = group.size
                .multipliedReportingOverflow(by: Int64(group.paths.count - 1))
            guard !isTooLarge, bytes <= .max - sum else { return .max }
            return sum + bytes
        }
    }
}
