import JobKit

// Operation forces @unchecked. The stored properties are constant.
/// Compares several files, those of each size with one another.
final class CompareBatch: ResultOperation<Findings>, @unchecked Sendable {
    private let batch: [Candidates]
    private let filesAtATime: Int

    /// Prepares the comparison.
    ///
    /// - Parameters:
    ///   - batch: Files that may be equal.
    ///   - filesAtATime: The number of files that the task may have open, at least 2.
    init(_ batch: [Candidates], filesAtATime: Int) {
        self.batch = batch
        self.filesAtATime = filesAtATime
        super.init()
    }

    /// The highest time of the task in microseconds, which is its weight in the job's progress.
    var work: Int64 { min(Work.most, batch.reduce(0) { $0 + $1.work }) }

    /// The number of files and the first of them unless a name is set.
    ///
    /// It is computed on demand.
    override var name: String? {
        get { super.name ?? "compare \(batch.flatMap(\.files).summary)" }
        set { super.name = newValue }
    }

    /// Compares the files on the queue's thread, and returns when this is done.
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
