import JobKit

// Operation forces @unchecked. JobController runs the callbacks, which alone touch the variables,
// one at a time (J1); `candidates` is set before the start, and `findings` read after the end.
/// A job that finds the equal files among candidates.
///
/// Few candidates are compared at once, many of them by a ``CompareCrowd`` of their own.
final class CompareFiles: JobController, @unchecked Sendable {
    /// The files to compare, to be set before the job starts.
    var candidates: [Candidates]
    /// What was found, to be read when the job has finished, also by a cancel.
    private(set) var findings = Findings()

    private let filesAtATime: Int
    private var crowds: [CompareCrowd] = []

    /// Prepares the comparison.
    ///
    /// - Parameters:
    ///   - candidates: The files to compare.
    ///   - filesAtATime: How many files a task may hold open, at least 2.
    ///   - queue: Where the tasks run.
    init(_ candidates: [Candidates], filesAtATime: Int, queue: any OperationScheduling) {
        self.candidates = candidates
        self.filesAtATime = filesAtATime
        super.init(queue: queue)
        name = "compare"
    }

    /// Starts everything: what each task takes at most is known, and is its weight.
    override func main() {
        let (few, many) = (candidates.filter { !isCrowd($0) }, candidates.filter(isCrowd))
        candidates = []
        for crowd in many {
            let job = CompareCrowd(crowd, filesAtATime: filesAtATime, queue: queue)
            crowds.append(job)
            trackAndQueue(job, weight: job.work)
        }
        for batch in Batch.batches(of: few, work: \.work) {
            let task = CompareBatch(batch, filesAtATime: filesAtATime)
            trackAndQueue(task, weight: task.work) { [self] in findings.add($0) }
        }
    }

    /// Whether there are more files than may be open at a time, and no hashes of all their bytes.
    private func isCrowd(_ candidates: Candidates) -> Bool {
        candidates.files.count > filesAtATime && candidates.hashedLength < candidates.size
    }

    override func allTasksFinished() { addWhatCrowdsFound() }

    override func jobCancelled() { addWhatCrowdsFound() }

    private func addWhatCrowdsFound() {
        for crowd in crowds { findings.add(crowd.findings) }
        crowds = []
    }
}
