import FindDuplicates
import RemoteJobs

/// The files that a search over several hosts has found, and which of them may be equal.
///
/// It starts no work. The job adds the results of listing and hashing, and takes the next files to
/// hash in batches. Each batch depends only on the results at the end of a phase, in a fixed order.
/// Therefore, a resumed search creates the same batches.
struct HostFiles {
    /// A file of a host.
    struct Found: Sendable {
        let host: Name
        let file: ListFolder.File
        var head: String?
        var digest: String?
    }

    private struct FileKey: Hashable {
        let host: Name
        let identity: WireIdentity
    }

    private(set) var scannedFiles = 0
    private(set) var hashedBytes: Int64 = 0
    private var files: [Found] = []
    private var places: [FileKey: Int] = [:]
    private var seenFolders: Set<FileKey> = []
    private var problems: [FileProblem] = []

    /// Adds the content of a folder.
    ///
    /// - Returns: The folders to list next, or none if this folder was listed before.
    mutating func listed(_ listing: ListFolder.Output, on host: Name) -> [BytePath] {
        problems += listing.problems.map { problem(on: host, $0) }
        guard !listing.isGone,
            seenFolders.insert(FileKey(host: host, identity: listing.identity)).inserted
        else { return [] }
        scannedFiles.add(listing.regularFileCount)
        for file in listing.files { add(file, on: host) }
        return listing.folders.map(\.path)
    }

    /// Adds a file.
    ///
    /// If a file has several names, the first one in byte order is kept.
    private mutating func add(_ file: ListFolder.File, on host: Name) {
        let key = FileKey(host: host, identity: file.identity)
        if let place = places[key] {
            if file.path.path < files[place].file.path.path {
                files[place] = Found(host: host, file: file)
            }
            return
        }
        places[key] = files.count
        files.append(Found(host: host, file: file))
    }

    /// Returns the files that share their size with another file, in batches for their hosts.
    func headBatches() -> [Batch] {
        let bySize = Dictionary(grouping: files.indices) { files[$0].file.size }
        return batches(of: bySize.values.filter { $0.count > 1 }.flatMap(\.self), isHead: true)
    }

    /// Returns the files that share size and head with another file, in batches.
    ///
    /// Files that are not longer than a head are compared already.
    func contentBatches() -> [Batch] {
        struct Key: Hashable {
            let size: Int64
            let head: String
        }
        let candidates = files.indices.filter {
            files[$0].head != nil && files[$0].file.size > HashFiles.headLength
        }
        let byHead = Dictionary(grouping: candidates) {
            Key(size: files[$0].file.size, head: files[$0].head ?? "")
        }
        return batches(of: byHead.values.filter { $0.count > 1 }.flatMap(\.self), isHead: false)
    }

    /// Adds the results of a batch.
    mutating func hashed(_ batch: Batch, _ outcomes: HashFiles.Output) {
        for (place, outcome) in zip(batch.places, outcomes) {
            let file = files[place].file
            switch outcome {
            case .digest(let digest):
                let length = batch.isHead ? min(file.size, HashFiles.headLength) : file.size
                hashedBytes.add(length)
                if batch.isHead { files[place].head = digest }
                if length == file.size { files[place].digest = digest }
            case .vanished: break
            case .problem(let found): problems.append(problem(on: batch.host, found))
            }
        }
    }

    /// Adds a folder or files that could not be read.
    mutating func failed(_ what: String, on host: Name, _ reason: String) {
        problems.append(FileProblem(path: BytePath("\(host):\(what)"), reason: reason))
    }

    /// Creates a report of all results so far, with paths as `HOST:PATH`.
    func report(isComplete: Bool) -> DuplicateReport {
        struct Content: Hashable {
            let size: Int64
            let digest: String
        }
        var byContent: [Content: [BytePath]] = [:]
        for found in files {
            guard let digest = found.digest else { continue }
            byContent[Content(size: found.file.size, digest: digest), default: []]
                .append(Self.path(found.file.path.path, on: found.host))
        }
        return DuplicateReport(
            groups: byContent.filter { $0.value.count > 1 }
                .map { DuplicateGroup(size: $0.size, paths: $1.sorted()) },
            scannedFiles: scannedFiles,
            hashedBytes: hashedBytes,
            problems: problems,
            isComplete: isComplete
        )
    }

    private func problem(on host: Name, _ problem: WireProblem) -> FileProblem {
        FileProblem(path: Self.path(problem.path.path, on: host), reason: problem.reason)
    }

    private static func path(_ path: BytePath, on host: Name) -> BytePath {
        BytePath(bytes: Array("\(host):".utf8) + path.bytes)
    }
}

// MARK: Batches

extension HostFiles {
    /// Files of one host that one task hashes.
    struct Batch: Sendable {
        let host: Name
        /// The number of the batch among those of its host and phase.
        let number: Int
        let isHead: Bool
        let places: [Int]
        let input: HashFiles.Input

        /// The key of the task, which is the same in each run of the job.
        var key: String { "\(isHead ? "heads" : "contents") \(host) \(number)" }
    }

    private static let mostFiles = 64
    private static let mostBytes: Int64 = 16 << 20

    private func batches(of candidates: [Int], isHead: Bool) -> [Batch] {
        var batches: [Batch] = []
        for (host, places) in Dictionary(grouping: candidates, by: { files[$0].host }) {
            let sorted = places.sorted { files[$0].file.path.path < files[$1].file.path.path }
            var number = 0
            var start = 0
            while start < sorted.count {
                var end = start
                var bytes: Int64 = 0
                while end < sorted.count, end - start < Self.mostFiles, bytes < Self.mostBytes {
                    let size = files[sorted[end]].file.size
                    bytes.add(isHead ? min(size, HashFiles.headLength) : size)
                    end += 1
                }
                let chosen = Array(sorted[start..<end])
                let input = HashFiles.Input(files: chosen.map { files[$0].file }, isHead: isHead)
                batches.append(
                    Batch(
                        host: host,
                        number: number,
                        isHead: isHead,
                        places: chosen,
                        input: input
                    )
                )
                number += 1
                start = end
            }
        }
        return batches.sorted { ($0.number, $0.host) < ($1.number, $1.host) }
    }
}

extension FixedWidthInteger {
    /// Adds a number from a worker.
    ///
    /// The sum saturates, because such a number can be any value.
    fileprivate mutating func add(_ number: Self) {
        let (sum, overflow) = addingReportingOverflow(number)
        self = overflow ? (number > 0 ? .max : .min) : sum
    }
}
