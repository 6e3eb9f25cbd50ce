import Foundation
import JobKit
import JobObservability
import JobStore
import Synchronization

/// A run with a started job, and its current figures.
final class LiveRun: Sendable {
    /// The number of tasks that a timeline keeps.
    static let timelineLimit = 5_000

    let prepared: PreparedJob
    let kind: RegisteredKind
    let detail: RunDetail
    let journal: RunJournal
    /// The run's own queue, limited to its share of the permits.
    let queue: TaskQueue
    let observer: RunObserver
    let recorder = TimelineRecorder(limit: timelineLimit)
    private let record: Mutex<RunRecord>
    private let work = Mutex<Task<Void, any Error>?>(nil)
    private let began = ContinuousClock.now

    init(
        _ detail: RunDetail,
        _ kind: RegisteredKind,
        _ prepared: PreparedJob,
        on queue: TaskQueue,
        observer: RunObserver,
        journal: RunJournal
    ) {
        self.detail = detail
        self.journal = journal
        self.queue = queue
        self.kind = kind
        self.prepared = prepared
        self.observer = observer
        var record = detail.record
        record.knownSteps = journal.knownSteps
        self.record = Mutex(record)
        prepared.job.addObserver(observer)
        prepared.job.addObserver(recorder)
        prepared.job.setContext { [observer] body in observer.bind(body) }
    }

    var job: JobController { prepared.job }

    /// The time from a monotonic clock, so that no run ends before its start.
    var now: Int64 {
        let elapsed = (ContinuousClock.now - began) / .milliseconds(1)
        return (detail.record.startedAt ?? RunClock.now) + Int64(elapsed.rounded())
    }

    /// Runs the job.
    ///
    /// - Throws: The errors of `run(on:stopWithin:)`.
    func run(on queue: TaskQueue, giveUp limit: Duration) async throws {
        let job = job
        let task = Task { try await job.run(on: queue, stopWithin: limit) }
        work.withLock { $0 = task }
        // The run was cancelled before the Swift task existed.
        if record.withLock({ $0.cancelRequestedAt != nil }) { task.cancel() }
        try await task.value
    }

    /// Cancels the job, which takes long if it has many tasks.
    func cancel(at time: Int64) {
        record.withLock { record in
            if record.cancelRequestedAt == nil { record.cancelRequestedAt = time }
        }
        work.withLock { $0 }?.cancel()
    }

    /// The current record of the run.
    ///
    /// Its numbers never decrease.
    func sample() -> RunRecord {
        // Once its progress was read, a job reports it, which has a cost for each task.
        let fraction = job.progress.fractionCompleted
        let counts = observer.counts
        // Read in this order, so that no number is larger than the next one.
        let (failed, finished) = (counts.failed, counts.finished)
        let tracked = counts.tracked
        let failures = failed == 0 ? [] : observer.failures
        return record.withLock { record in
            record.progress = max(record.progress, min(1, max(0, fraction)))
            record.tasksTracked = max(record.tasksTracked, tracked)
            record.tasksFinished = max(record.tasksFinished, finished)
            record.tasksFailed = max(record.tasksFailed, failed)
            if record.failures.count < failures.count {
                record.failures = failures.map { RunFailure(name: $0.name, error: $0.error) }
            }
            return record
        }
    }
}
