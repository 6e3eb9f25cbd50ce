import Crypto

/// Decides which files need to be hashed, and which are equal.
///
/// It reads nothing and starts nothing: what was read is told to it, and what is to be read next
/// is taken from it in batches. Files are named by their number, in the order they were found.
struct DuplicateSearch {
    /// A batch of files to hash, each with its number.
    typealias Batch = [(number: Int, file: ScannedFile)]

    private struct SizeAndHead: Hashable {
        let size: Int64
        let digest: SHA256Digest
    }

    /// How far the search has come.
    private(set) var progress = SearchProgress()

    private var files: [ScannedFile] = []
    private var seenFolders: Set<FileIdentity> = []
    private var linkedFiles: [FileIdentity: Int] = [:]
    private var problems: [FileProblem] = []

    private var sizes = MatchTable<Int64, Int>()
    private var heads: WorkPile<Int>
    private var sizesAndHeads = MatchTable<SizeAndHead, Int>()
    private var contents: WorkPile<Int>
    private var equalFiles = EqualFiles()

    /// Begins with nothing known.
    ///
    /// - Parameter width: How many batches may be out before further ones have to be full.
    init(width: Int) {
        // About half a millisecond of work is worth a task.
        heads = WorkPile(fullWeight: 500, width: width)
        contents = WorkPile(fullWeight: 500, width: width)
    }

    // MARK: Folders

    /// Notes that a folder is going to be listed.
    mutating func listingStarted() {
        progress.listingStarted()
    }

    /// Takes what a folder holds.
    ///
    /// - Returns: The folders to list next: none if the folder was listed before, because it was
    ///   named twice, lies within another one named, or is mounted at two places.
    mutating func folderListed(_ listing: FolderListing) -> [BytePath] {
        guard seenFolders.insert(listing.identity).inserted else { return [] }
        problems += listing.problems
        progress.filesScanned(listing.regularFileCount)
        for file in listing.files { add(file) }
        return listing.folders
    }

    /// Notes that a folder or file could not be read.
    mutating func problemFound(_ problem: FileProblem) {
        problems.append(problem)
    }

    /// Notes that a listing has ended, with or without success.
    mutating func listingEnded() {
        progress.listingEnded()
    }

    private mutating func add(_ file: ScannedFile) {
        let number = files.count
        if file.hasHardLinks {
            if let known = linkedFiles[file.identity] {
                files[known].path = min(files[known].path, file.path)
                return
            }
            linkedFiles[file.identity] = number
        }
        files.append(file)
        for candidate in sizes.add(number, key: file.size) {
            let work = FileHasher.Extent.head.work(for: files[candidate])
            heads.add(candidate, weight: work)
            progress.workFound(work)
        }
    }

    // MARK: Heads

    /// Takes files whose heads are to be hashed.
    ///
    /// - Parameter takesRest: Whether the batch need not be full.
    /// - Returns: The files, each with its number; `nil` if there are none or they had better wait.
    mutating func takeHeads(takesRest: Bool) -> Batch? {
        heads.takeBatch(takesRest: takesRest)?.map { ($0, files[$0]) }
    }

    /// Takes the outcomes of a batch of heads, one for each file.
    mutating func headsHashed(_ batch: Batch, _ outcomes: [FileHasher.Outcome]) {
        heads.batchFinished()
        for (entry, outcome) in zip(batch, outcomes) {
            let work = FileHasher.Extent.head.work(for: entry.file)
            guard let digest = hashed(outcome, work: work) else { continue }
            if entry.file.size <= FileHasher.headLength {
                // The head is the file.
                equalFiles.add(entry.number, digest: digest)
                continue
            }
            let key = SizeAndHead(size: entry.file.size, digest: digest)
            for candidate in sizesAndHeads.add(entry.number, key: key) {
                let work = FileHasher.Extent.whole.work(for: files[candidate])
                contents.add(candidate, weight: work)
                progress.workFound(work)
            }
        }
    }

    // MARK: Contents

    /// Takes files that are to be hashed whole.
    ///
    /// - Parameter takesRest: Whether the batch need not be full.
    /// - Returns: The files, each with its number; `nil` if there are none or they had better wait.
    mutating func takeContents(takesRest: Bool) -> Batch? {
        contents.takeBatch(takesRest: takesRest)?.map { ($0, files[$0]) }
    }

    /// Takes the outcomes of a batch of whole files, one for each file.
    mutating func contentsHashed(_ batch: Batch, _ outcomes: [FileHasher.Outcome]) {
        contents.batchFinished()
        for (entry, outcome) in zip(batch, outcomes) {
            let work = FileHasher.Extent.whole.work(for: entry.file)
            guard let digest = hashed(outcome, work: work) else { continue }
            equalFiles.add(entry.number, digest: digest)
        }
    }

    private mutating func hashed(_ outcome: FileHasher.Outcome, work: Int64) -> SHA256Digest? {
        switch outcome {
        case .digest(let digest, let byteCount):
            progress.workDone(work, hashedBytes: byteCount)
            return digest
        case .problem(let problem):
            problems.append(problem)
        case .vanished, .stopped:
            break
        }
        progress.workDone(work, hashedBytes: 0)
        return nil
    }

    // MARK: Report

    /// Puts together what is known.
    ///
    /// - Parameter isComplete: Whether the search has gone to its end.
    /// - Returns: The report, everything in it in order.
    func report(isComplete: Bool) -> DuplicateReport {
        var report = DuplicateReport()
        report.groups = equalFiles.groups.compactMap(group)
            .sorted {
                $0.paths[0] < $1.paths[0]
            }
        report.scannedFiles = progress.scannedFiles
        report.hashedBytes = progress.hashedBytes
        report.problems = problems.sorted { $0.path < $1.path }
        report.isComplete = isComplete
        return report
    }

    /// Makes a group of equal files, unless they are one file that is mounted at two places.
    private func group(_ numbers: [Int]) -> DuplicateGroup? {
        var seen: Set<FileIdentity> = []
        let different = numbers.map { files[$0] }
            .sorted { $0.path < $1.path }
            .filter { seen.insert($0.identity).inserted }
        guard different.count > 1 else { return nil }
        return DuplicateGroup(size: different[0].size, paths: different.map(\.path))
    }
}
