import JobKit

// Operation forces @unchecked. Only the job's callbacks use the variables, and JobController runs
// them one at a time (J1). `candidates` is set before the start, and `findings` is read after the
// end.
/// Finds the equal files among candidates.
///
/// Few candidates are compared directly, and many by a separate ``CompareCrowd``.
final class CompareFiles: JobController, @unchecked Sendable {
    /// The files to compare.
    ///
    /// Set it before the job starts.
    var candidates: [Candidates]
    /// The findings, to be read after the job has finished, even after cancellation.
    private(set) var findings = Findings()

    private let filesAtATime: Int
    private var crowds: [CompareCrowd] = []

    /// Prepares the comparison.
    ///
    /// - Parameters:
    ///   - candidates: The files to compare.
    ///   - filesAtATime: The number of files that a task may have open, at least 2.
    ///   - queue: The queue of the tasks.
    init(_ candidates: [Candidates], filesAtATime: Int, queue: any OperationScheduling) {
        self.candidates = candidates
        self.filesAtATime = filesAtATime
        super.init(queue: queue)
        name = "compare"
    }

    /// Starts all tasks.
    ///
    /// The highest time of each task is known and is its weight.
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

    /// Whether there are more files than may be open, and not all of their bytes have been hashed.
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
