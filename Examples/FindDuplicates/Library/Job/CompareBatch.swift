import JobKit

// Operation forces @unchecked. The stored properties are constant.
/// A task that compares some files, those of each size with one another.
final class CompareBatch: ResultOperation<Findings>, @unchecked Sendable {
    private let batch: [Candidates]
    private let filesAtATime: Int

    /// Prepares the comparison.
    ///
    /// - Parameters:
    ///   - batch: Files that may be equal.
    ///   - filesAtATime: How many files the task may hold open, at least 2.
    init(_ batch: [Candidates], filesAtATime: Int) {
        self.batch = batch
        self.filesAtATime = filesAtATime
        super.init()
    }

    /// What the task takes at most, in microseconds: its weight in the job's progress.
    var work: Int64 { min(Work.most, batch.reduce(0) { $0 + $1.work }) }

    /// The files' number and the first of them unless it is set; made when it is asked for.
    override var name: String? {
        get { super.name ?? "compare \(batch.flatMap(\.files).summary)" }
        set { super.name = newValue }
    }

    /// Compares the files on the queue's thread.
    ///
    /// The work is done when this returns.
    override func main() {
        var comparer = FileComparer(
            filesAtATime: min(filesAtATime, batch.map(\.files.count).max() ?? 2),
            largest: batch.map(\.size).max() ?? 0,
            meter: WorkMeter(
                total: work,
                isStopped: { [unowned self] in isCancelled },
                tell: { [unowned self] in reportProgress($0) }
            )
        )
        for candidates in batch where !isCancelled { comparer.compare(candidates) }
        finish(returning: comparer.findings)
    }
}
