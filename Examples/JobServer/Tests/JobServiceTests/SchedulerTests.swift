import Foundation
import JobJournal
import JobKit
import JobObservability
import JobStore
import Logging
import PrometheusText
import Synchronization
import XCTest

@testable import JobService

/// Tests the scheduler with a clock that the test sets, and with restarts of the server.
final class SchedulerTests: XCTestCase {
    private static let year: Int64 = 365 * 86_400_000
    private let time = TestTime()
    private var path = ""

    override func setUp() { makeDatabase() }

    private func makeDatabase() {
        path = NSTemporaryDirectory() + "scheduler-\(UUID().uuidString).sqlite"
        addTeardownBlock { [path] in
            for end in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: path + end)
            }
        }
    }

    private var now: Int64 {
        get { time.now }
        set { time.now = newValue }
    }

    /// A scheduler of a server that has just started.
    ///
    /// Its runs do not start.
    private func start(resuming: Bool = false) async throws -> Scheduler {
        let store = try JobStore(path: path, durability: .crash)
        _ = try await store.recover(now: now, resumable: resuming ? ["part"] : [])
        let runner = Runner(
            kinds: JobKinds([PartKind()]),
            environment: JobEnvironment(width: 1),
            store: store,
            hub: EventHub(limit: 2),
            width: 1,
            queueLimit: 9,
            limits: Runner.Limits(grace: .zero),
            journals: RunJournal.Place(database: path, safety: .processCrash),
            metrics: RunMetrics(factory: PrometheusFactory()),
            logger: Logger(label: "scheduler") { _ in SwiftLogNoOpLogHandler() },
            now: { [time] in time.now }
        )
        return Scheduler(
            runner: runner,
            schedules: [],
            logger: runner.logger,
            now: { [time] in time.now }
        )
    }

    private func schedule(_ times: JobSchedule.Times) -> JobSchedule {
        JobSchedule("s", kind: "part", parameters: [String: Int](), times)
    }

    /// Ends the unfinished runs of the schedule, and returns their number.
    private func endRuns(_ scheduler: Scheduler) async throws -> Int {
        let store = scheduler.runner.store
        let queued = try await store.list(RunFilter(states: [.queued])).runs
        for run in queued {
            _ = try await store.end(run.id, RunEnd(state: .succeeded, finishedAt: now))
        }
        return queued.count
    }

    func testRunComesSoonAfterAClockThatWasAheadAlsoWithARestart() async throws {
        for restarts in [false, true] {
            let schedule = schedule(.every(.seconds(2)))
            now = 1_790_000_000_000 + Self.year
            var scheduler: Scheduler? = try await start()
            await scheduler?.look(at: schedule)
            now += 2_000
            await scheduler?.look(at: schedule)
            _ = try await endRuns(XCTUnwrap(scheduler))
            now -= Self.year
            if restarts {
                // Releases the database, because only one server at a time may use it.
                scheduler = nil
                scheduler = try await start()
            }
            await scheduler?.look(at: schedule)
            now += 2_000
            await scheduler?.look(at: schedule)
            let count = try await endRuns(XCTUnwrap(scheduler))
            XCTAssertEqual(count, 1, "restarts: \(restarts)")
            makeDatabase()
        }
    }

    func testPauseSince1970IsOneRun() async throws {
        for times in [JobSchedule.Times.daily(hour: 3, in: .gmt), .every(.seconds(2))] {
            makeDatabase()
            let schedule = schedule(times)
            now = 3_600_000
            var scheduler: Scheduler? = try await start()
            await scheduler?.look(at: schedule)
            now = 1_790_000_000_000
            scheduler = nil
            scheduler = try await start()
            var count = 0
            for _ in 0..<100 {
                await scheduler?.look(at: schedule)
                count += try await endRuns(XCTUnwrap(scheduler))
            }
            XCTAssertEqual(count, 1, "\(times)")
        }
    }

    func testPausedScheduleQueuesNothingAndMakesNothingUp() async throws {
        let schedule = schedule(.every(.seconds(2)))
        let scheduler = try await start()
        let routes = ScheduleRoutes(runner: scheduler.runner, schedules: [schedule])
        await scheduler.look(at: schedule)
        let paused = try await routes.pause("s", true)
        XCTAssertTrue(paused.contains("\"isPaused\":true"), paused)
        XCTAssertTrue(paused.contains("\"nextAt\":null"), paused)
        now += 61_000
        await scheduler.look(at: schedule)
        let resumed = try await routes.pause("s", false)
        XCTAssertTrue(resumed.contains("\"nextAt\":\(now + 1_000)"), resumed)
        await scheduler.look(at: schedule)
        let none = try await endRuns(scheduler)
        XCTAssertEqual(none, 0)
        now += 1_000
        await scheduler.look(at: schedule)
        let one = try await endRuns(scheduler)
        XCTAssertEqual(one, 1)
        let list = try await routes.list()
        XCTAssertTrue(list.contains("\"lastAt\":\(now),\"runID\":1"), list)
        do {
            _ = try await routes.pause("other", true)
            XCTFail("There is no such schedule")
        } catch {
            XCTAssertEqual(error as? HTTPProblem, .unknownPath)
        }
    }

    func testRunThatHasNotEndedIsWaitedForWithWhatFollowsIt() async throws {
        let schedule = schedule(.every(.seconds(2)))
        let scheduler = try await start()
        let store = scheduler.runner.store
        await scheduler.look(at: schedule)
        now += 2_000
        await scheduler.look(at: schedule)
        let first = try await store.list(RunFilter()).runs.map(\.id)
        XCTAssertEqual(first.count, 1)
        now += 60_000
        await scheduler.look(at: schedule)
        // Its next attempt waits for its time.
        _ = try await store.start(first[0], at: now)
        let next = NewRun(
            kind: "part",
            title: "Part",
            parameters: "{}",
            previousID: first[0],
            attempt: 2,
            submittedAt: now,
            runAt: now + 4_000,
            journalID: first[0]
        )
        _ = try await store.end(first[0], RunEnd(state: .failed, finishedAt: now), next: next)
        for _ in 0..<10 {
            now += 2_000
            await scheduler.look(at: schedule)
        }
        let count = try await store.list(RunFilter()).runs.count
        XCTAssertEqual(count, 2)
        // The attempt crashes, and another run resumes it.
        _ = try await store.start(first[0] + 1, at: now)
        let resumed = try await store.recover(now: now, resumable: ["part"]).resumedIDs
        XCTAssertEqual(resumed, [first[0] + 2])
        for _ in 0..<10 {
            now += 2_000
            await scheduler.look(at: schedule)
        }
        let all = try await store.list(RunFilter()).runs.count
        XCTAssertEqual(all, 3)
        // All missed times result in one run.
        _ = try await endRuns(scheduler)
        await scheduler.look(at: schedule)
        await scheduler.look(at: schedule)
        let last = try await endRuns(scheduler)
        XCTAssertEqual(last, 1)
    }
}

/// A clock that a test sets.
private final class TestTime: Sendable {
    private let milliseconds = Mutex<Int64>(1_790_000_000_000)

    var now: Int64 {
        get { milliseconds.withLock { $0 } }
        set { milliseconds.withLock { $0 = newValue } }
    }
}

/// A kind of job without tasks.
private struct PartKind: JobKind {
    struct Parameters: Codable, Sendable {}

    let name = "part"
    let fields: [ParameterField] = []

    func title(of parameters: Parameters) -> String { "Part" }

    func makeJob(_ parameters: Parameters, in environment: JobEnvironment) -> PreparedJob {
        PreparedJob(JobController(queue: environment.queue))
    }
}
