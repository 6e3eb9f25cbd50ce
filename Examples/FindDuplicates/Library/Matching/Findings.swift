/// The result of reading several files.
struct Findings: Sendable {
    /// Groups of files with equal content.
    var groups: [DuplicateGroup] = []
    /// Files that could not be read.
    var problems: [FileProblem] = []
    /// The number of bytes that were read.
    var readBytes: Int64 = 0

    /// Adds the result of reading further files.
    mutating func add(_ other: Findings) {
        groups += other.groups
        problems += other.problems
        readBytes += other.readBytes
    }

    /// Adds a file that cannot be compared.
    ///
    /// A vanished file is ignored.
    mutating func add(_ failure: ReadFailure) {
        if case .problem(let problem) = failure { problems.append(problem) }
    }
}
