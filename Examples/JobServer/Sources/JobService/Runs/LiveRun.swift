import Foundation
import JobKit
import JobObservability
import JobStore
import Synchronization

/// A run whose job was started, and what is read of it meanwhile.
final class LiveRun: Sendable {
    /// How many tasks a timeline keeps.
    static let timelineLimit = 5_000

    let prepared: PreparedJob
    let observer: RunObserver
    let recorder = TimelineRecorder(limit: timelineLimit)
    private let record: Mutex<RunRecord>

    init(_ record: RunRecord, _ prepared: PreparedJob, observer: RunObserver) {
        self.record = Mutex(record)
        self.prepared = prepared
        self.observer = observer
        prepared.job.addObserver(observer)
        prepared.job.addObserver(recorder)
        prepared.job.setContext { [observer] body in observer.bind(body) }
    }

    var job: JobController { prepared.job }

    /// The run as it stands now; its numbers only grow.
    func sample() -> RunRecord {
        // A job reports its progress, at a price for each task, once somebody has asked for it.
        let fraction = job.progress.fractionCompleted
        let counts = observer.counts
        // In the order in which none is larger than the next.
        let (failed, finished) = (counts.failed, counts.finished)
        let tracked = counts.tracked
        return record.withLock { record in
            record.progress = max(record.progress, min(1, max(0, fraction)))
            record.tasksTracked = max(record.tasksTracked, tracked)
            record.tasksFinished = max(record.tasksFinished, finished)
            record.tasksFailed = max(record.tasksFailed, failed)
            return record
        }
    }
}
