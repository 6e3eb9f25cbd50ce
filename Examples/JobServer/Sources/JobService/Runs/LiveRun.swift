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
    let kind: RegisteredKind
    let detail: RunDetail
    let journal: RunJournal
    let observer: RunObserver
    let recorder = TimelineRecorder(limit: timelineLimit)
    private let record: Mutex<RunRecord>
    private let work = Mutex<Task<Void, any Error>?>(nil)
    private let began = ContinuousClock.now

    init(
        _ detail: RunDetail,
        _ kind: RegisteredKind,
        _ prepared: PreparedJob,
        observer: RunObserver,
        journal: RunJournal
    ) {
        self.detail = detail
        self.journal = journal
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

    /// The time by a clock that nobody sets, so that no run ends before it has started.
    var now: Int64 {
        let elapsed = (ContinuousClock.now - began) / .milliseconds(1)
        return (detail.record.startedAt ?? RunClock.now) + Int64(elapsed.rounded())
    }

    /// Runs the job.
    ///
    /// - Throws: What `run(on:stopWithin:)` throws.
    func run(on queue: TaskQueue, giveUp limit: Duration) async throws {
        let job = job
        let task = Task { try await job.run(on: queue, stopWithin: limit) }
        work.withLock { $0 = task }
        // A cancel that came before there was a task to cancel.
        if record.withLock({ $0.cancelRequestedAt != nil }) { task.cancel() }
        try await task.value
    }

    /// Cancels the job; takes long if it has many tasks.
    func cancel(at time: Int64) {
        record.withLock { record in
            if record.cancelRequestedAt == nil { record.cancelRequestedAt = time }
        }
        work.withLock { $0 }?.cancel()
    }

    /// The run as it stands now; its numbers only grow.
    func sample() -> RunRecord {
        // A job reports its progress, at a price for each task, once somebody has asked for it.
        let fraction = job.progress.fractionCompleted
        let counts = observer.counts
        // In the order in which none is larger than the next.
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
