import FindDuplicates
import RemoteJobs

/// What a search over several hosts knows of their files, and which of them may be equal.
///
/// It starts nothing: what was listed and hashed is told to it, and what is to be hashed next is
/// taken from it in batches. A batch is made of what is known when a phase has ended, in an order
/// that depends on nothing else, so that a search that is resumed makes the same ones.
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

    /// Takes what a folder holds.
    ///
    /// - Returns: The folders to list next: none if the folder was listed before.
    mutating func listed(_ listing: ListFolder.Output, on host: Name) -> [BytePath] {
        problems += listing.problems.map { problem(on: host, $0) }
        guard !listing.isGone,
            seenFolders.insert(FileKey(host: host, identity: listing.identity)).inserted
        else { return [] }
        scannedFiles.add(listing.regularFileCount)
        for file in listing.files { add(file, on: host) }
        return listing.folders.map(\.path)
    }

    /// Adds a file; of several names of one file, the first in order of bytes stays.
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

    /// The files whose size another one has, in batches for their hosts.
    func headBatches() -> [Batch] {
        let bySize = Dictionary(grouping: files.indices) { files[$0].file.size }
        return batches(of: bySize.values.filter { $0.count > 1 }.flatMap(\.self), isHead: true)
    }

    /// The files whose size and head another one has, in batches; short ones are known already.
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

    /// Takes what a batch came to.
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

    /// Notes a folder or some files that nobody could read.
    mutating func failed(_ what: String, on host: Name, _ reason: String) {
        problems.append(FileProblem(path: BytePath("\(host):\(what)"), reason: reason))
    }

    /// Puts together what is known; paths are `HOST:PATH`.
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
    /// Some files of one host, to be hashed by one task.
    struct Batch: Sendable {
        let host: Name
        /// Its number among the host's of the same phase.
        let number: Int
        let isHead: Bool
        let places: [Int]
        let input: HashFiles.Input

        /// What the task is known by, the same in each life of the job.
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
    /// Adds a number that came over the wire; a sum that has no room stays at the nearest that has.
    fileprivate mutating func add(_ number: Self) {
        let (sum, overflow) = addingReportingOverflow(number)
        self = overflow ? (number > 0 ? .max : .min) : sum
    }
}
