import Foundation
import JobKit

// Operation forces @unchecked. JobController runs the callbacks, which alone touch the variables,
// one at a time (J1), and `report` is read when the job has finished.
/// Finds files of equal content in folders and the folders below them.
///
/// 1. A task lists one folder. Its callback starts the listing of the folders found in it. 2. When
/// no listing is left, a task sorts the files by size, and a nested job compares those of one size:
/// see ``CompareFiles``. 3. A last task puts the report together.
///
/// The job takes no lock. Its own code runs one callback at a time; its tasks run beside it, and
/// hand it their results when they are done.
///
/// Regular files are compared, empty ones are not. Symbolic links are not followed, unless they
/// are among the paths named, also where a folder becomes one while the search runs. Hard links to one file are one file.
///
/// ```swift
/// let job = FindDuplicatesJob(folders: [BytePath("/usr/share/doc")])
/// try await job.run()
/// for group in job.report.groups { print(group.size, group.paths.count) }
/// ```
public final class FindDuplicatesJob: JobController, @unchecked Sendable {
    private static let listing = JobGroup.named("listing")

    /// What was found, to be read when the job has finished.
    ///
    /// Of a job that was cancelled it holds what was found until then.
    public private(set) var report = DuplicateReport()

    private let folders: [BytePath]
    /// The beginnings of the paths below each folder, which keep the folders open.
    private var roots: [SearchRoot]
    private let minimumSize: Int64
    private let tellStage: (@Sendable (SearchStage) -> Void)?
    private var tree: FolderTree
    private var problems: [FileProblem]?
    private let comparison: CompareFiles

    /// Prepares a search; the job begins when it is started.
    ///
    /// - Parameters:
    ///   - folders: The folders to search, and files to compare. What is in two of the folders is
    ///     searched once, and named by its path in the earlier one.
    ///   - minimumSize: The smallest size in bytes of a file to compare. Empty ones never are.
    ///   - followsLinks: Whether the paths of `folders` may lead through symbolic links. Without, a
    ///     search of a resolved path finds what lies there and nothing else, whatever is exchanged.
    ///   - width: How many tasks work at a time, at least 1; fewer do where the process may not
    ///     open enough files for them.
    ///   - queue: Where the tasks run; `nil` for a queue of that width of the job's own.
    ///   - stage: Called when the search enters a stage, in the job's callbacks, so it should be
    ///     brief.
    public init(
        folders: [BytePath],
        minimumSize: Int64 = 1,
        followsLinks: Bool = true,
        width: Int = ProcessInfo.processInfo.activeProcessorCount,
        queue: (any OperationScheduling)? = nil,
        stage: (@Sendable (SearchStage) -> Void)? = nil
    ) {
        let limit = OpenFileLimit.current.keepingOpen(folders.count)
        let width = limit.width(atMost: width)
        let queue = queue ?? TaskQueue(name: "Files", maxConcurrentOperationCount: width)
        self.folders = folders
        self.minimumSize = minimumSize
        roots = folders.enumerated()
            .map { number, folder in
                let staysOpen = number < limit.keptFolderCount
                return SearchRoot(folder, followsLinks: followsLinks, staysOpen: staysOpen)
            }
        tellStage = stage
        tree = FolderTree(argumentCount: folders.count)
        let filesAtATime = limit.filesPerTask(width: width)
        comparison = CompareFiles([], filesAtATime: filesAtATime, queue: queue)
        super.init(queue: queue)
    }

    /// Starts the listing of the named folders, and sets what follows the last listing.
    public override func main() {
        setCompletion(for: Self.listing) { [self] in sort() }
        for (number, folder) in folders.enumerated() {
            list(folder, at: .argument(number), below: roots[number])
        }
    }

    /// Starts the listing of one folder.
    ///
    /// The number of folders is unknown until all are listed, so a listing has no weight: the job's
    /// progress is that of the comparison.
    private func list(_ folder: BytePath, at place: FolderTree.Place, below root: SearchRoot) {
        let task = ListFolder(
            folder,
            at: place,
            minimumSize: minimumSize,
            below: root
        )
        trackAndQueue(task, group: Self.listing, weight: 0) { [self] listing in
            let (folders, place) = tree.listed(listing, at: place)
            for folder in folders { list(folder, at: place, below: root) }
            tellStage?(.listing(files: tree.fileCount))
        }
    }

    /// Starts the sorting, a task because it takes a while if there are many files.
    private func sort() {
        let task = ClosureOperation(name: "sort by size") { [tree, roots] in
            let named = tree.named(below: roots)
            return (problems: named.problems, candidates: named.candidates())
        }
        trackAndQueue(
            task,
            group: .named("sorting"),
            weight: 0,
            onSuccess: { [self] sorted in
                problems = sorted.problems
                compare(sorted.candidates)
            }
        )
    }

    /// Starts the comparison of what may be equal.
    private func compare(_ candidates: [Candidates]) {
        let bytes = candidates.reduce(Int64(0)) { sum, candidates in
            let (total, isTooLarge) = sum.addingReportingOverflow(candidates.byteCount)
            return isTooLarge ? .max : total
        }
        tellStage?(.comparing(files: tree.fileCount, bytes: bytes))
        comparison.candidates = candidates
        trackAndQueue(comparison)
    }

    /// Notes a folder that cannot be listed, and lets the search go on without it.
    ///
    /// - Parameters:
    ///   - task: The task that failed.
    ///   - error: Why it failed.
    /// - Returns: Whether the search goes on: it does after the error of a listing.
    public override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse {
        guard let task = task as? ListFolder, let reason = error as? SystemError else {
            return .failJob
        }
        // A folder may vanish before its turn; it is a problem only if the user named it.
        if task.isNamed || !reason.meansVanished {
            tree.failed(FileProblem(path: task.folder, reason), at: task.place)
        }
        return .carryOn
    }

    /// Starts the last task, which puts the report together.
    public override func allTasksFinished() {
        guard !report.isComplete else { return }
        let task = ClosureOperation(name: "report", makeReport(isComplete: true))
        trackAndQueue(
            task,
            group: .named("report"),
            weight: 0,
            onSuccess: { [self] in report = $0 }
        )
        roots = []
    }

    /// Puts together what was found until the job was cancelled.
    public override func jobCancelled() {
        report = makeReport(isComplete: false)()
        roots = []
    }

    private func makeReport(isComplete: Bool) -> @Sendable () -> DuplicateReport {
        let (tree, problems, found) = (tree, problems, comparison.findings)
        return {
            DuplicateReport(
                groups: found.groups,
                scannedFiles: tree.fileCount,
                hashedBytes: found.readBytes,
                problems: (problems ?? tree.named().problems) + found.problems,
                isComplete: isComplete
            )
        }
    }
}
