import FindDuplicates

/// The duplicates that a search has found, as the run's result.
struct DuplicatesResult: Encodable, Sendable {
    /// Files with equal content.
    struct Group: Encodable, Sendable {
        let size: Int64
        let paths: [String]
    }

    /// The highest number of groups in the result.
    static let groupLimit = 1_000

    /// The number of groups.
    ///
    /// `groups` contains the first ``groupLimit`` of them.
    let groupCount: Int
    let redundantBytes: Int64
    let scannedFiles: Int
    let hashedBytes: Int64
    let isComplete: Bool
    let groups: [Group]
    let problems: [String]

    init(_ report: DuplicateReport) {
        groupCount = report.groups.count
        redundantBytes = report.groups.reduce(0) { $0 + $1.size * Int64($1.paths.count - 1) }
        scannedFiles = report.scannedFiles
        hashedBytes = report.hashedBytes
        isComplete = report.isComplete
        groups = report.groups.prefix(Self.groupLimit)
            .map { Group(size: $0.size, paths: $0.paths.map(Self.text)) }
        problems = report.problems.prefix(100).map { "\(Self.text($0.path)): \($0.reason)" }
    }

    private static func text(_ path: BytePath) -> String {
        String(decoding: path.bytes, as: UTF8.self)
    }
}
