import Foundation
import JobKit

// Operation forces @unchecked. JobController runs the callbacks, which alone touch the variables,
// one at a time (J1), and `report` is read when the job has finished.
/// Finds files of equal content in folders and the folders below them.
///
/// The search has three phases, and each is a group of tasks:
///
/// 1. *Listing.* A task lists one folder. When it is done, the folders found in it are listed.
/// 2. *Heads.* Files of one size may be equal: the beginning of each is hashed.
/// 3. *Contents.* Files of one size and one head may be equal: each is hashed to its end.
///
/// A phase need not wait for the whole of the one before it: as soon as a second file of a size
/// is found, the heads of both may be hashed. Work goes out in batches, so that a task is worth
/// what it costs; when a phase has ended, the next one takes what is left to it.
///
/// The job takes no lock. Its own code runs one callback at a time; its tasks run beside it, and
/// hand it what they have read when they are done.
///
/// Regular files are compared, empty ones are not. Symbolic links are not followed, unless they
/// are among the folders named. Hard links to one file are one file.
///
/// ```swift
/// let job = FindDuplicatesJob(folders: [BytePath("/usr/share/doc")])
/// try await job.run()
/// for group in job.report.groups { print(group.size, group.paths.count) }
/// ```
public final class FindDuplicatesJob: JobController, @unchecked Sendable {
    private static let listing = JobGroup.named("listing")
    private static let heads = JobGroup.named("heads")
    private static let contents = JobGroup.named("contents")

    /// What was found, to be read when the job has finished.
    ///
    /// Of a job that was cancelled it holds what was found until then.
    public private(set) var report = DuplicateReport()

    private let folders: [BytePath]
    private let minimumSize: Int64
    private let tellProgress: (@Sendable (SearchProgress) -> Void)?
    private var search: DuplicateSearch

    /// Prepares a search; the job begins when it is started.
    ///
    /// - Parameters:
    ///   - folders: The folders to search. What lies in two of them is searched once.
    ///   - minimumSize: The smallest size in bytes of a file to compare. Empty ones never are.
    ///   - width: How many tasks work at a time, at least 1; fewer do where the process may not
    ///     open enough files for them.
    ///   - queue: Where the tasks run; `nil` for a queue of that width of the job's own.
    ///   - progress: Told after each task, within the job's callbacks, so it should be brief.
    public init(
        folders: [BytePath],
        minimumSize: Int64 = 1,
        width: Int = ProcessInfo.processInfo.activeProcessorCount,
        queue: (any OperationScheduling)? = nil,
        progress: (@Sendable (SearchProgress) -> Void)? = nil
    ) {
        let width = OpenFileLimit.width(atMost: width)
        self.folders = folders
        self.minimumSize = minimumSize
        search = DuplicateSearch(width: width)
        tellProgress = progress
        super
            .init(
                queue: queue ?? TaskQueue(name: "Files", maxConcurrentOperationCount: width)
            )
    }

    /// Says what the end of each phase starts, and starts the first.
    public override func main() {
        setCompletion(for: Self.listing) { [self] in
            hashHeads(takesRest: true)
        }
        setCompletion(for: Self.heads) { [self] in
            hashHeads(takesRest: true)
            hashContents(takesRest: true)
        }
        for folder in folders { list(folder, isRoot: true) }
    }

    private func list(_ folder: BytePath, isRoot: Bool) {
        search.listingStarted()
        let task = ListFolder(folder, isRoot: isRoot, minimumSize: minimumSize)
        trackAndQueue(task, group: Self.listing) { [self] task in
            if case .success(let listing)? = task.result {
                for folder in search.folderListed(listing) { list(folder, isRoot: false) }
                hashHeads(takesRest: false)
            }
            search.listingEnded()
            tellProgress?(search.progress)
        }
    }

    private func hashHeads(takesRest: Bool) {
        while let batch = search.takeHeads(takesRest: takesRest) {
            trackAndQueue(HashFiles(batch, .head), group: Self.heads) { [self] task in
                search.headsHashed(batch, task.outcomes)
                hashHeads(takesRest: false)
                hashContents(takesRest: false)
                tellProgress?(search.progress)
            }
        }
    }

    private func hashContents(takesRest: Bool) {
        while let batch = search.takeContents(takesRest: takesRest) {
            trackAndQueue(HashFiles(batch, .whole), group: Self.contents) { [self] task in
                search.contentsHashed(batch, task.outcomes)
                hashContents(takesRest: false)
                tellProgress?(search.progress)
            }
        }
    }

    /// Notes a folder that cannot be listed, and lets the search go on without it.
    ///
    /// - Parameters:
    ///   - task: The task that failed.
    ///   - error: Why it failed.
    /// - Returns: Whether the search goes on: it does, unless the error is none of its own.
    public override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse {
        guard let task = task as? ListFolder, let reason = error as? SystemError else {
            return .failJob
        }
        // A folder may vanish before it is its turn; one that the user named is missed.
        if task.isRoot || !reason.meansVanished {
            search.problemFound(FileProblem(path: task.folder, reason))
        }
        return .carryOn
    }

    /// Puts the report together.
    public override func allTasksFinished() {
        report = search.report(isComplete: true)
    }

    /// Puts together what was found until the job was cancelled.
    public override func jobCancelled() {
        report = search.report(isComplete: false)
    }
}
