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
        let kind = LateKind()
        let (runner, metrics) = try makeRunner([kind])
        runner.open(with: [])
        let id = try await submit(to: runner)
        await kind.asked.waitUntilOpen()
        _ = try await runner.cancel(id)
        try await waitForEnd(of: id, in: runner)
        let detail = try await runner.store.detail(id)
        XCTAssertEqual(detail?.record.state, .cancelled)
        XCTAssertEqual(detail?.record.progress, 0)
        XCTAssertNil(detail?.result)
        let counted = "jobkit_jobs_total{kind=\"late\",status=\"cancelled\"} 1\n"
        XCTAssertTrue(metrics.text().contains(counted), metrics.text())
        kind.released.open()
    }

    /// A shutdown that cancels a job before its start is not a success either.
    func testRunThatAShutdownMeetsAsItsJobStartsIsInterrupted() async throws {
        let kind = LateKind()
        let (runner, metrics) = try makeRunner([kind])
        runner.open(with: [])
        let id = try await submit(to: runner)
        await kind.asked.waitUntilOpen()
        runner.stop()
        await runner.waitUntilFinished()
        let detail = try await runner.store.detail(id)
        XCTAssertEqual(detail?.record.state, .interrupted)
        let counted = "jobkit_jobs_total{kind=\"late\",status=\"interrupted\"} 1\n"
        XCTAssertTrue(metrics.text().contains(counted), metrics.text())
        kind.released.open()
    }

    /// A cancellation was once answered while only the run's end was on its way to a slow disk.
    ///
    /// After a crash, `--resume` ran it again.
    func testCancellationOfARunThatIsEndingIsAnsweredWhenItIsSaved() async throws {
        let (disk, kind) = (SlowDisk(), HeldKind())
        let (runner, _) = try makeRunner([kind], disk: disk)
        runner.open(with: [])
        let id = try await submit("held", to: runner)
        await kind.began.waitUntilOpen()
        disk.stop()
        kind.released.open()
        await disk.stopped.waitUntilOpen()
        disk.work(after: 0.5)
        _ = try await runner.cancel(id)
        let saved = try await runner.store.detail(id)?.record
        XCTAssertTrue(saved?.state.isEnd == true || saved?.cancelRequestedAt != nil)
        try await waitForEnd(of: id, in: runner)
    }

    /// A disk that took longer than two seconds was once not waited for.
    func testCancellationIsAnsweredWhenASlowDiskHasSavedIt() async throws {
        let (disk, kind) = (SlowDisk(), HeldKind())
        let (runner, _) = try makeRunner([kind], disk: disk)
        runner.open(with: [])
        let id = try await submit("held", to: runner)
        await kind.began.waitUntilOpen()
        disk.stop()
        disk.work(after: 2.5)
        _ = try await runner.cancel(id)
        let saved = try await runner.store.detail(id)?.record
        XCTAssertNotNil(saved?.cancelRequestedAt)
        kind.released.open()
        try await waitForEnd(of: id, in: runner)
    }

    /// The journal is removed with the last run that could continue it.
    func testJournalGoesWithTheLastRunOfItsChain() async throws {
        let (runner, _) = try makeRunner([BrokenKind()])
        runner.open(with: [])
        let submissions = Submissions(runner: runner)
        let submission = Submission(kind: "broken", parameters: .object([:]))
        let first = try await submissions.submit(submission).record.id
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
        let (runner, _) = try makeRunner([QuickKind()], width: 8) {
            reading.add(1, ordering: .relaxed).newValue
        }
        var queued: [RunRecord] = []
        for number in 0..<400 {
            let run = NewRun(kind: "quick", title: "\(number)", parameters: "{}", submittedAt: 0)
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

    private func makeRunner(
        _ kinds: [any JobKind],
        width: Int = 1,
        disk: SlowDisk = SlowDisk(),
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
            limits: Runner.Limits(grace: .zero),
            journals: RunJournal.Place(database: path, safety: .processCrash),
            metrics: RunMetrics(factory: metrics),
            logger: Logger(label: "runner") { _ in SwiftLogNoOpLogHandler() },
            now: now
        )
        return (runner, metrics)
    }

    private func submit(_ kind: String = "late", to runner: Runner) async throws -> Int64 {
        let submissions = Submissions(runner: runner)
        return try await submissions.submit(Submission(kind: kind, parameters: .object([:])))
            .record.id
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

/// A kind of job with one task that waits for the test.
private struct HeldKind: JobKind {
    struct Parameters: Codable, Sendable {}

    let name = "held"
    let fields: [ParameterField] = []
    let began = Gate()
    let released = Gate()

    func title(of parameters: Parameters) -> String { "Held" }

    func makeJob(_ parameters: Parameters, in environment: JobEnvironment) -> PreparedJob {
        let job = JobController(queue: environment.queue)
        job.trackAndQueue(
            ClosureOperation { [began, released] in
                began.open()
                released.wait()
            }
        )
        return PreparedJob(job)
    }
}

/// A kind of job without tasks.
private struct QuickKind: JobKind {
    struct Parameters: Codable, Sendable {}

    let name = "quick"
    let fields: [ParameterField] = []

    func title(of parameters: Parameters) -> String { "Quick" }

    func makeJob(_ parameters: Parameters, in environment: JobEnvironment) -> PreparedJob {
        PreparedJob(JobController(queue: environment.queue))
    }
}

/// A kind of job that opens its journal and fails.
private struct BrokenKind: JobKind {
    struct Parameters: Codable, Sendable {}
    struct Broken: Error {}

    let name = "broken"
    let fields: [ParameterField] = []

    func title(of parameters: Parameters) -> String { "Broken" }

    func makeJob(_ parameters: Parameters, in environment: JobEnvironment) throws -> PreparedJob {
        _ = try environment.journal
        return PreparedJob(BrokenJob(queue: environment.queue))
    }
}

// Operation forces @unchecked. Nothing is stored.
private final class BrokenJob: JobController, @unchecked Sendable {
    override func main() { finish(with: BrokenKind.Broken()) }
}

/// A kind of job with a delayed start.
private struct LateKind: JobKind {
    struct Parameters: Codable, Sendable {}

    let name = "late"
    let fields: [ParameterField] = []
    /// Opened when the queue starts the job.
    let asked = Gate()
    let released = Gate()

    func title(of parameters: Parameters) -> String { "Late" }

    func makeJob(_ parameters: Parameters, in environment: JobEnvironment) -> PreparedJob {
        PreparedJob(LateJob(asked: asked, released: released))
    }
}

// Operation forces @unchecked. Nothing is stored.
/// A job with an observer that delays its start.
private final class LateJob: JobController, @unchecked Sendable {
    private final class Holder: JobObserver {
        private let asked: Gate
        private let released: Gate

        init(asked: Gate, released: Gate) {
            self.asked = asked
            self.released = released
        }

        func job(_ job: JobController, didRecord event: JobEvent) {
            guard event.kind == .started else { return }
            asked.open()
            released.wait()
        }
    }

    init(asked: Gate, released: Gate) {
        super.init(queue: TaskQueue(maxConcurrentOperationCount: 1))
        addObserver(Holder(asked: asked, released: released))
    }
}
