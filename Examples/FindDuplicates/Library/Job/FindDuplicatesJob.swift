import Foundation
import JobKit

// Operation forces @unchecked. Only the job's callbacks use the variables, and JobController runs
// them one at a time (J1). `report` is read after the job has finished.
/// Finds files with equal content in folders and their subfolders.
///
/// 1. A task lists one folder. Its callback starts the listing of the folders that it contains.
/// 2. After the last listing, a task sorts the files by size, and a nested job compares those of
///    equal size (``CompareFiles``).
/// 3. A last task creates the report.
///
/// The job needs no lock. Its own code runs in one callback at a time. Its tasks run concurrently
/// and pass their results to it when they are done.
///
/// Regular files are compared unless they are empty. Symbolic links are only followed if they are
/// among the named paths, even if a folder is replaced by a link during the search. Hard links to
/// one file count as one file.
///
/// ```swift
/// let job = FindDuplicatesJob(folders: [BytePath("/usr/share/doc")])
/// try await job.run()
/// for group in job.report.groups { print(group.size, group.paths.count) }
/// ```
public final class FindDuplicatesJob: JobController, @unchecked Sendable {
    private static let listing = JobGroup.named("listing")

    /// The result, to be read after the job has finished.
    ///
    /// The report of a cancelled job holds everything found before the cancellation.
    public private(set) var report = DuplicateReport()

    private let folders: [BytePath]
    /// The beginnings of the paths below each folder, which keep the folders open.
    private var roots: [SearchRoot]
    private let minimumSize: Int64
    private let tellStage: (@Sendable (SearchStage) -> Void)?
    private var tree: FolderTree
    private var problems: [FileProblem]?
    private let comparison: CompareFiles

    /// Prepares a search.
    ///
    /// The job begins when it is started.
    ///
    /// - Parameters:
    ///   - folders: The folders to search and the files to compare. Files that are in two of the
    ///     folders are searched once, and named by their path in the earlier folder.
    ///   - minimumSize: The smallest size of a compared file, in bytes. Empty files are never
    ///     compared.
    ///   - followsLinks: Whether the paths of `folders` may lead through symbolic links. If not,
    ///     the search of a resolved path finds only files in that folder, even if folders are
    ///     replaced.
    ///   - width: How many tasks run at a time, at least 1. Fewer run if the process may not open
    ///     enough files for them.
    ///   - queue: The queue of the tasks, or `nil` for a separate queue limited to `width`.
    ///   - stage: Called when the search enters a stage, in the job's callbacks, so it should be
    ///     fast.
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

    /// Starts the listing of the named folders, and sets the completion of the last listing.
    public override func main() {
        setCompletion(for: Self.listing) { [self] in sort() }
        for (number, folder) in folders.enumerated() {
            list(folder, at: .argument(number), below: roots[number])
        }
    }

    /// Starts the listing of one folder.
    ///
    /// A listing has no weight, because the number of folders is unknown until all are listed. The
    /// job's progress is that of the comparison.
    private func list(_ folder: BytePath, at location: FolderTree.Location, below root: SearchRoot)
    {
        let task = ListFolder(
            folder,
            at: location,
            minimumSize: minimumSize,
            below: root
        )
        trackAndQueue(task, group: Self.listing, weight: 0) { [self] listing in
            let (folders, location) = tree.listed(listing, at: location)
            for folder in folders { list(folder, at: location, below: root) }
            tellStage?(.listing(files: tree.fileCount))
        }
    }

    /// Starts a task that sorts the files, because sorting many files takes a while.
    private func sort() {
        let task = ClosureOperation(name: "sort by size") { [tree, roots] in
            var named = tree.named(below: roots)
            let candidates = named.candidates()
            return (problems: named.problems, candidates: candidates)
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

    /// Starts the comparison of files that may be equal.
    private func compare(_ candidates: [Candidates]) {
        let bytes = candidates.reduce(Int64(0)) { sum, candidates in
            let (total, isTooLarge) = sum.addingReportingOverflow(candidates.byteCount)
            return isTooLarge ? .max : total
        }
        tellStage?(.comparing(files: tree.fileCount, bytes: bytes))
        comparison.candidates = candidates
        trackAndQueue(comparison)
    }

    /// Records a folder that cannot be listed and continues the search without it.
    ///
    /// - Parameters:
    ///   - task: The task that failed.
    ///   - error: The error of the task.
    /// - Returns: Whether the search continues, which it does after the error of a listing.
    public override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse {
        guard let task = task as? ListFolder, let reason = error as? SystemError else {
            return .failJob
        }
        // A folder may vanish before its task runs. This is a problem only if the user named it.
        if task.isNamed || !reason.meansVanished {
            tree.failed(FileProblem(path: task.folder, reason), at: task.location)
        }
        return .carryOn
    }

    /// Starts the last task, which creates the report.
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

    /// Creates the report of everything found before the cancellation.
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
