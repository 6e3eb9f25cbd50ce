import Foundation
import JobJournal
import JobKit
import JobKitTesting
import JobObservability
import JobStore
import Logging
import PrometheusText
import Synchronization
import XCTest

@testable import JobService

final class RunnerTests: XCTestCase {
    /// The queue has accepted the job without starting it, so it never runs and must not succeed.
    func testRunThatIsCancelledAsItsJobStartsIsCancelled() async throws {
        let moments = Moments()
        let (runner, metrics) = try makeRunner([SampleKind.late(moments)], giveUp: .zero)
        runner.open(with: [])
        let id = try await submit(to: runner)
        await moments.began.waitUntilOpen()
        _ = try await runner.cancel(id)
        try await waitForEnd(of: id, in: runner)
        let detail = try await runner.store.detail(id)
        XCTAssertEqual(detail?.record.state, .cancelled)
        XCTAssertEqual(detail?.record.progress, 0)
        XCTAssertNil(detail?.result)
        let counted = "jobkit_jobs_total{kind=\"sample\",status=\"cancelled\"} 1\n"
        XCTAssertTrue(metrics.text().contains(counted), metrics.text())
        moments.released.open()
    }

    /// A shutdown that cancels a job before its start is not a success either.
    func testRunThatAShutdownMeetsAsItsJobStartsIsInterrupted() async throws {
        let moments = Moments()
        let (runner, metrics) = try makeRunner([SampleKind.late(moments)])
        runner.open(with: [])
        let id = try await submit(to: runner)
        await moments.began.waitUntilOpen()
        runner.stop()
        await runner.waitUntilFinished()
        let detail = try await runner.store.detail(id)
        XCTAssertEqual(detail?.record.state, .interrupted)
        let counted = "jobkit_jobs_total{kind=\"sample\",status=\"interrupted\"} 1\n"
        XCTAssertTrue(metrics.text().contains(counted), metrics.text())
        moments.released.open()
    }

    /// A cancellation was once answered while only the run's end was on its way to a slow disk.
    ///
    /// After a crash, `--resume` ran it again.
    func testCancellationOfARunThatIsEndingIsAnsweredWhenItIsSaved() async throws {
        let (disk, moments) = (SlowDisk(), Moments())
        let (runner, _) = try makeRunner([SampleKind.held(moments)], disk: disk)
        runner.open(with: [])
        let id = try await submit(to: runner)
        await moments.began.waitUntilOpen()
        disk.stop()
        moments.released.open()
        await disk.stopped.waitUntilOpen()
        disk.work(after: 0.5)
        _ = try await runner.cancel(id)
        let saved = try await runner.store.detail(id)?.record
        XCTAssertTrue(saved?.state.isEnd == true || saved?.cancelRequestedAt != nil)
        try await waitForEnd(of: id, in: runner)
    }

    /// A disk that took longer than two seconds was once not waited for.
    func testCancellationIsAnsweredWhenASlowDiskHasSavedIt() async throws {
        let (disk, moments) = (SlowDisk(), Moments())
        let (runner, _) = try makeRunner([SampleKind.held(moments)], disk: disk)
        runner.open(with: [])
        let id = try await submit(to: runner)
        await moments.began.waitUntilOpen()
        disk.stop()
        disk.work(after: 2.5)
        _ = try await runner.cancel(id)
        let saved = try await runner.store.detail(id)?.record
        XCTAssertNotNil(saved?.cancelRequestedAt)
        moments.released.open()
        try await waitForEnd(of: id, in: runner)
    }

    /// The journal is removed with the last run that could continue it.
    func testJournalGoesWithTheLastRunOfItsChain() async throws {
        let (runner, _) = try makeRunner([SampleKind.broken])
        runner.open(with: [])
        let submissions = Submissions(runner: runner)
        let first = try await submit(to: runner)
        try await waitForEnd(of: first, in: runner)
        let second = try await submissions.runAgain(first).id
        try await waitForEnd(of: second, in: runner)
        let state = try await runner.store.detail(second)?.record.state
        XCTAssertEqual(state, .failed)
        XCTAssertEqual(runner.journals.ids, [first])
        try await submissions.delete(first)
        XCTAssertEqual(runner.journals.ids, [first])
        try await submissions.delete(second)
        XCTAssertEqual(runner.journals.ids, [])
    }

    /// Starts once had times in the wrong order if runs ended at once on several threads.
    func testTimesOfStartsAreInTheOrderOfTheRuns() async throws {
        // All clock readings differ, so that two starts in the wrong order are detected.
        let reading = Atomic<Int64>(0)
        let (runner, _) = try makeRunner([SampleKind.quick], width: 8) {
            reading.add(1, ordering: .relaxed).newValue
        }
        var queued: [RunRecord] = []
        for number in 0..<400 {
            let run = NewRun(kind: "sample", title: "\(number)", parameters: "{}", submittedAt: 0)
            guard case .added(let record) = try await runner.store.add(run) else {
                return XCTFail("Run \(number) was not added")
            }
            queued.append(record)
        }
        runner.open(with: queued)
        for record in queued { try await waitForEnd(of: record.id, in: runner) }
        let runs = try await runner.store.list(RunFilter(limit: 500)).runs
        let starts = runs.sorted { $0.id < $1.id }.compactMap(\.startedAt)
        XCTAssertEqual(starts.count, queued.count)
        XCTAssertEqual(starts, starts.sorted())
    }

    /// Streams receive the last ends if their clients read, even on a busy machine.
    func testShutdownWaitsLongerForStreamsThatAreNotStuck() async throws {
        let (runner, _) = try makeRunner([])
        runner.open(with: [])
        let dropped = EventLog()
        let streams = try ["stuck", "slow"]
            .map { name in
                let connection = EventHub.Connection(
                    isStuck: { name == "stuck" },
                    drop: { dropped.record(name) }
                )
                return try XCTUnwrap(runner.hub.subscribe(connection))
            }
        let clock = ManualClock()
        let service = Task { try await RunnerService(runner: runner, clock: clock).run() }
        runner.stop()
        let step = Duration.milliseconds(50)
        for count in 1...20 {
            await clock.waitForDeadline(.init(elapsed: step * count))
            clock.advance(by: step)
        }
        await clock.waitForDeadline(.init(elapsed: step * 21))
        XCTAssertEqual(dropped.events, ["stuck"])
        for stream in streams { stream.end() }
        clock.advance(by: step)
        try await service.value
        XCTAssertEqual(dropped.events, ["stuck"])
    }

    /// A job may block the threads of the global queues, and of Swift tasks with them.
    func testShutdownCancelsAJobThatBlocksAllThreads() throws {
        let (moments, cancelled) = (Moments(), expectation(description: "cancelled"))
        let kind = SampleKind { environment in
            let job = JobController(queue: environment.queue)
            job.trackAndQueue(BlockingTask(moments) { cancelled.fulfill() })
            return job
        }
        let (runner, _) = try makeRunner([kind])
        runner.open(with: [])
        Task {
            let submission = Submission(kind: "sample", parameters: .object([:]))
            _ = try await Submissions(runner: runner).submit(submission)
        }
        moments.began.wait()
        runner.stop()
        wait(for: [cancelled], timeout: 60)
        moments.released.open()
        let finished = expectation(description: "finished")
        Task {
            await runner.waitUntilFinished()
            finished.fulfill()
        }
        wait(for: [finished], timeout: 300)
    }

    private func makeRunner(
        _ kinds: [any JobKind],
        width: Int = 1,
        disk: SlowDisk = SlowDisk(),
        giveUp: Duration = .seconds(30),
        now: @escaping @Sendable () -> Int64 = { RunClock.now }
    ) throws -> (Runner, PrometheusFactory) {
        let path = NSTemporaryDirectory() + "runner-\(UUID().uuidString).sqlite"
        addTeardownBlock {
            for end in ["", "-wal", "-shm", "-journal", ".lock"] {
                try? FileManager.default.removeItem(atPath: path + end)
            }
        }
        let metrics = PrometheusFactory()
        let runner = Runner(
            kinds: JobKinds(kinds),
            environment: JobEnvironment(width: 1),
            store: try JobStore(
                path: path,
                durability: .powerLoss,
                patience: 5,
                fault: { disk.write() },
                told: { _ in }
            ),
            hub: EventHub(limit: 2),
            width: width,
            queueLimit: 1,
            limits: Runner.Limits(grace: .zero, giveUp: giveUp),
            journals: RunJournal.Place(database: path, safety: .processCrash),
            metrics: RunMetrics(factory: metrics),
            logger: Logger(label: "runner") { _ in SwiftLogNoOpLogHandler() },
            now: now
        )
        return (runner, metrics)
    }

    private func submit(to runner: Runner) async throws -> Int64 {
        let submission = Submission(kind: "sample", parameters: .object([:]))
        return try await Submissions(runner: runner).submit(submission).record.id
    }

    private func waitForEnd(of id: Int64, in runner: Runner) async throws {
        let subscription = try XCTUnwrap(runner.hub.subscribe(EventHub.Connection()))
        defer { subscription.end() }
        if try await runner.store.detail(id)?.record.state.isEnd == true { return }
        for await _ in subscription.wakes {
            let record = try await runner.store.detail(id)?.record
            if record?.state.isEnd == true { return }
        }
    }
}

/// A disk that a test stops for a while, so that commits wait.
private final class SlowDisk: Sendable {
    /// Opened when a commit waits.
    let stopped = Gate()
    private let isStopped = Atomic<Bool>(false)
    private let works = Gate()

    func stop() { isStopped.store(true, ordering: .sequentiallyConsistent) }

    func work(after seconds: Double) {
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [self] in works.open() }
    }

    func write() {
        guard isStopped.load(ordering: .sequentiallyConsistent) else { return }
        stopped.open()
        works.wait()
    }
}

/// A kind of job without parameters.
private struct SampleKind: JobKind {
    struct Parameters: Codable, Sendable {}

    let name = "sample"
    let fields: [ParameterField] = []
    let make: @Sendable (JobEnvironment) throws -> JobController

    func title(of parameters: Parameters) -> String { "Sample" }

    func makeJob(_ parameters: Parameters, in environment: JobEnvironment) throws -> PreparedJob {
        PreparedJob(try make(environment))
    }
}

/// Two moments of a job: one that a test waits for, and one that it allows.
private struct Moments: Sendable {
    let began = Gate()
    let released = Gate()
}

extension SampleKind {
    /// Jobs without tasks.
    static let quick = SampleKind { JobController(queue: $0.queue) }

    /// Jobs that open their journal and fail.
    static let broken = SampleKind { environment in
        _ = try environment.journal
        return BrokenJob(queue: environment.queue)
    }

    /// Jobs with one task that waits for the test.
    static func held(_ moments: Moments) -> SampleKind {
        SampleKind { environment in
            let job = JobController(queue: environment.queue)
            job.trackAndQueue(
                ClosureOperation {
                    moments.began.open()
                    moments.released.wait()
                }
            )
            return job
        }
    }

    /// Jobs that the queue has accepted and that the test delays before their start.
    static func late(_ moments: Moments) -> SampleKind { SampleKind { _ in LateJob(moments) } }
}

// Operation forces @unchecked. The stored properties are constant.
/// A task that blocks all threads of the global queues until it is cancelled.
private final class BlockingTask: ConcurrentOperation, @unchecked Sendable {
    private let moments: Moments
    private let cancelled: @Sendable () -> Void

    init(_ moments: Moments, cancelled: @escaping @Sendable () -> Void) {
        self.moments = moments
        self.cancelled = cancelled
        super.init()
    }

    override func main() {
        // Dispatch has fewer threads, so that nothing that is added later runs.
        for _ in 0..<1_000 { DispatchQueue.global().async { [moments] in moments.released.wait() } }
        moments.began.open()
    }

    override func didCancel() {
        cancelled()
        moments.released.open()
        finish()
    }
}

// Operation forces @unchecked. Nothing is stored.
private final class BrokenJob: JobController, @unchecked Sendable {
    private struct Broken: Error {}

    override func main() { finish(with: Broken()) }
}

// Operation forces @unchecked. Nothing is stored.
/// A job with an observer that delays its start.
private final class LateJob: JobController, @unchecked Sendable {
    private final class Holder: JobObserver {
        private let moments: Moments

        init(_ moments: Moments) {
            self.moments = moments
        }

        func job(_ job: JobController, didRecord event: JobEvent) {
            guard event.kind == .started else { return }
            moments.began.open()
            moments.released.wait()
        }
    }

    init(_ moments: Moments) {
        super.init(queue: TaskQueue(maxConcurrentOperationCount: 1))
        addObserver(Holder(moments))
    }
}
