/// The result of reading some files.
struct Findings: Sendable {
    /// The files of equal content.
    var groups: [DuplicateGroup] = []
    /// What could not be read.
    var problems: [FileProblem] = []
    /// How many bytes were read.
    var readBytes: Int64 = 0

    /// Adds the result of reading further files.
    mutating func add(_ other: Findings) {
        groups += other.groups
        problems += other.problems
        readBytes += other.readBytes
    }

    /// Notes a file that cannot be compared; one that is gone needs no note.
    mutating func add(_ failure: ReadFailure) {
        if case .problem(let problem) = failure { problems.append(problem) }
    }
}
