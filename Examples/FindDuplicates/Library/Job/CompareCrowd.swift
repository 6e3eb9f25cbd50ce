import JobKit

// Operation forces @unchecked. Only the job's callbacks use the variables, and JobController runs
// them one at a time (J1). `findings` is read after the job has finished.
/// Compares more files of one size than may be open at a time.
///
/// The job first hashes a piece of each file. Files with different hashes differ. A nested job
/// compares the others if they are few. If they are many, it hashes the next piece, which is eight
/// times as long. Therefore, a file is read about as far as it equals other files. The nested job
/// is tracked from the beginning with its full weight, so that the hashing of heads is not counted
/// as most of the job's progress.
final class CompareCrowd: JobController, @unchecked Sendable {
    /// The findings, to be read after the job has finished, even after cancellation.
    private(set) var findings = Findings()

    private let crowd: Candidates
    private let rest: CompareFiles
    private var filesByHash: [Int: [ScannedFile]] = [:]

    /// Prepares the comparison.
    ///
    /// - Parameters:
    ///   - crowd: Files of one size that have not been hashed completely.
    ///   - filesAtATime: The number of files that a task may have open, at least 2.
    ///   - queue: The queue of the tasks.
    init(_ crowd: Candidates, filesAtATime: Int, queue: any OperationScheduling) {
        self.crowd = crowd
        rest = CompareFiles([], filesAtATime: filesAtATime, queue: queue)
        super.init(queue: queue)
        name = crowd.files.summary
    }

    /// The highest time of the job in microseconds, if all bytes are hashed and then compared.
    var work: Int64 { work(ofHashing: hashed) + restWork }

    private var restWork: Int64 {
        work(ofHashing: hashed.upperBound..<crowd.size) + crowd.work
    }

    private func work(ofHashing range: Range<Int64>) -> Int64 {
        Work.reading(crowd.files.count, of: Int64(range.count))
    }

    /// The hashed bytes of each file.
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
