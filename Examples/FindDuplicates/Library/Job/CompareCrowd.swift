import JobKit

// Operation forces @unchecked. JobController runs the callbacks, which alone touch the variables,
// one at a time (J1), and `findings` is read when the job has finished.
/// A job that compares more files of one size than may be open at a time.
///
/// It hashes a piece of each first. Files of different hashes differ; the others are left to a
/// nested job, which compares them if they are few, and else hashes the next piece, eight times as
/// long. So a file is read about as far as others equal it. The nested job is tracked from the
/// beginning with all its weight, so that the job's progress never takes the hashing of heads for
/// most of the work.
final class CompareCrowd: JobController, @unchecked Sendable {
    /// What was found, to be read when the job has finished, also by a cancel.
    private(set) var findings = Findings()

    private let crowd: Candidates
    private let rest: CompareFiles
    private var filesByHash: [Int: [ScannedFile]] = [:]

    /// Prepares the comparison.
    ///
    /// - Parameters:
    ///   - crowd: Files of one size that have not been hashed to their ends.
    ///   - filesAtATime: How many files a task may hold open, at least 2.
    ///   - queue: Where the tasks run.
    init(_ crowd: Candidates, filesAtATime: Int, queue: any OperationScheduling) {
        self.crowd = crowd
        rest = CompareFiles([], filesAtATime: filesAtATime, queue: queue)
        super.init(queue: queue)
        name = crowd.files.summary
    }

    /// What the job takes at most, in microseconds: all bytes are hashed and then compared.
    var work: Int64 { work(ofHashing: hashed) + restWork }

    private var restWork: Int64 {
        work(ofHashing: hashed.upperBound..<crowd.size) + crowd.work
    }

    private func work(ofHashing range: Range<Int64>) -> Int64 {
        Work.reading(crowd.files.count, of: Int64(range.count))
    }

    /// The bytes of each file that are hashed.
    private var hashed: Range<Int64> {
        let isLast = crowd.hashedLength > crowd.size / 8
        let end = max(FileComparer.headLength, isLast ? crowd.size : 8 * crowd.hashedLength)
        return crowd.hashedLength..<min(end, crowd.size)
    }

    /// Starts the hashing.
    override func main() {
        track(rest, weight: restWork)
        let group = JobGroup.named(crowd.hashedLength == 0 ? "heads" : "further pieces")
        setCompletion(for: group) { [self] in compareRest() }
        let work = Work.reading(1, of: Int64(hashed.count))
        for batch in Batch.batches(of: crowd.files, work: { _ in work }) {
            let task = HashFiles(batch, range: hashed)
            trackAndQueue(task, group: group, weight: task.work) { [self] hashes in
                for (file, hash) in hashes.files { filesByHash[hash, default: []].append(file) }
                findings.add(hashes.findings)
            }
        }
    }

    /// Starts the nested job when all hashes are known.
    private func compareRest() {
        let end = hashed.upperBound
        rest.candidates = filesByHash.values.filter { $0.count > 1 }
            .map { Candidates(size: crowd.size, files: $0, hashedLength: end) }
        filesByHash = [:]
        queue.addOperation(rest)
    }

    override func allTasksFinished() { findings.add(rest.findings) }

    override func jobCancelled() { findings.add(rest.findings) }
}
