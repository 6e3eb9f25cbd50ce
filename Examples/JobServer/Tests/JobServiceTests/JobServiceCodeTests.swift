import Foundation
import JobJournal
import JobKit
import JobKitTesting
import JobObservability
import JobStore
import Logging
import Synchronization
import XCTest

@testable import JobService

/// Tests the service as a library: runs that code submits and observes, and schedules.
final class JobServiceCodeTests: XCTestCase {
    private struct Number: Codable, Sendable { let number: Int }

    private func configuration() -> JobServiceConfiguration {
        let folder = NSTemporaryDirectory() + "job-service-" + UUID().uuidString
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        addTeardownBlock { try? FileManager.default.removeItem(atPath: folder) }
        var configuration = JobServiceConfiguration()
        configuration.port = 0
        configuration.data = folder + "/data"
        configuration.handlesSignals = false
        configuration.durability = .crash
        return configuration
    }

    private func serve(
        _ schedules: [JobSchedule] = [],
        _ imports: ImportKind = ImportKind(),
        with configuration: JobServiceConfiguration? = nil,
        onEnd: (@Sendable (RunRecord) async -> Void)? = nil
    ) -> JobService {
        let service = JobService(
            configuration: configuration ?? self.configuration(),
            kinds: [FlakyKind(), imports],
            schedules: schedules,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        if let onEnd { service.onEnd(onEnd) }
        let serving = Task { try await service.run() }
        addTeardownBlock {
            serving.cancel()
            _ = await serving.result
        }
        return service
    }

    func testCodeSubmitsHearsOfEndsAndFailedRunsAreTriedAgain() async throws {
        let service = serve()
        let ended = AsyncStream<RunRecord>.makeStream()
        service.onEnd { ended.continuation.yield($0) }
        var ends = ended.stream.makeAsyncIterator()
        // Submitted before the server is serving. The first attempt fails, and the second one
        // succeeds.
        let first = try await service.submit(
            kind: "flaky",
            parameters: Number(number: 1),
            key: "k",
            priority: 3
        )
        XCTAssertEqual(first.priority, 3)
        let failed = await ends.next()
        XCTAssertEqual(failed?.id, first.id)
        XCTAssertEqual(failed?.state, .failed)
        XCTAssertEqual(failed?.failures.map(\.name), ["part"])
        let succeeded = await ends.next()
        XCTAssertEqual(succeeded?.state, .succeeded)
        XCTAssertEqual(succeeded?.previousID, first.id)
        XCTAssertEqual(succeeded?.attempt, 2)
        // The key belongs to the second attempt, which has replaced the first one.
        let same = try await service.submit(kind: "flaky", parameters: Number(number: 1), key: "k")
        XCTAssertEqual(same.id, succeeded?.id)
        do {
            try await service.submit(kind: "flaky", parameters: Number(number: 5), key: "k")
            XCTFail("The key was taken")
        } catch {
            XCTAssertEqual(error as? JobServiceError, .keyInUse(same.id))
        }
        do {
            try await service.submit(kind: "flaky", parameters: ["other": 1])
            XCTFail("The parameters were taken")
        } catch {
            XCTAssertEqual((error as? InvalidParameter)?.field, "other")
        }
        let later = try await service.submit(
            kind: "flaky",
            parameters: Number(number: 9),
            after: .seconds(3_600)
        )
        let cancelled = try await service.cancel(later.id)
        XCTAssertEqual(cancelled.state, .cancelled)
        let runs = try await service.runs(where: RunFilter(states: [.cancelled]))
        XCTAssertEqual(runs.map(\.id), [later.id])
    }

    /// The second attempt repeats no step that the first one has recorded.
    ///
    /// Then the journal is removed.
    func testAnAttemptGoesOnWhereTheOneBeforeWas() async throws {
        let imports = ImportKind()
        let service = serve([], imports)
        let ended = AsyncStream<RunRecord>.makeStream()
        service.onEnd { ended.continuation.yield($0) }
        var ends = ended.stream.makeAsyncIterator()
        let first = try await service.submit(kind: "import", parameters: [String: String]())
        let failed = await ends.next()
        XCTAssertEqual(failed?.state, .failed, failed?.error ?? "")
        let journals = RunJournal.Place(
            database: service.configuration.data,
            safety: .processCrash
        )
        XCTAssertEqual(journals.ids, [first.id])
        let succeeded = await ends.next()
        XCTAssertEqual(succeeded?.state, .succeeded, succeeded?.error ?? "")
        let known = try await service.runs().first?.knownSteps
        XCTAssertEqual(known, 3)
        XCTAssertEqual(imports.bodies.events, ["0", "1", "2", "3", "3"])
        XCTAssertEqual(journals.ids, [])
    }

    /// A crash leaves a run in the state running, and the journal of its recorded steps.
    func testAResumedRunGoesOnWhereTheCrashWas() async throws {
        var configuration = configuration()
        configuration.resumes = true
        let journals = RunJournal.Place(database: configuration.data, safety: .processCrash)
        let crashed = try await crash(configuration, journals, recording: 2)
        let imports = ImportKind()
        let ended = AsyncStream<RunRecord>.makeStream()
        let service = serve([], imports, with: configuration) { ended.continuation.yield($0) }
        // The resumed run is the second of two attempts, and its last step fails the first time.
        for await run in ended.stream where run.state == .failed { break }
        let runs = try await service.runs()
        XCTAssertEqual(runs.last?.id, crashed)
        XCTAssertEqual(runs.map(\.state), [.failed, .interrupted])
        XCTAssertEqual(runs.map(\.knownSteps), [2, nil])
        XCTAssertEqual(imports.bodies.events, ["2", "3"])
        XCTAssertEqual(journals.ids, [crashed])
    }

    private func crash(
        _ configuration: JobServiceConfiguration,
        _ journals: RunJournal.Place,
        recording count: Int
    ) async throws -> Int64 {
        let store = try JobStore(path: configuration.data)
        let new = NewRun(kind: "import", title: "Import", parameters: "{}", submittedAt: 1)
        guard case .added(let run) = try await store.add(new) else {
            throw NoSuchRun()
        }
        _ = try await store.start(run.id, at: 2)
        let journal = try RunJournal(of: run.id, in: journals).journal()
        for number in 0..<count {
            let step = journal.step("step \(number)") { _ in number }
            step.start()
            _ = try await step.value
        }
        await journal.close()
        return run.id
    }

    private struct NoSuchRun: Error {}

    func testCodePausesAKindAndTheQueue() async throws {
        let service = serve()
        let ended = AsyncStream<RunRecord>.makeStream()
        service.onEnd { ended.continuation.yield($0) }
        var ends = ended.stream.makeAsyncIterator()
        try await service.pause(kind: "flaky")
        let paused = try await service.submit(kind: "flaky", parameters: Number(number: 2))
        let other = try await service.submit(kind: "import", parameters: [String: String]())
        // The other kind overtakes it, with both of its attempts.
        let firstEnds = [await ends.next(), await ends.next()]
        XCTAssertEqual(firstEnds.first??.id, other.id)
        XCTAssertEqual(firstEnds.last??.previousID, other.id)
        try await service.pause()
        try await service.resume(kind: "flaky")
        let states = try await service.runs(where: RunFilter(states: [.queued])).map(\.id)
        XCTAssertEqual(states, [paused.id])
        try await service.resume()
        let last = await ends.next()
        XCTAssertEqual(last?.id, paused.id)
        do {
            try await service.pause(kind: "other")
            XCTFail("A kind was paused that does not exist")
        } catch {
            XCTAssertEqual((error as? InvalidParameter)?.field, "kind")
        }
    }

    func testAScheduleSubmitsAndMissedTimesAreOne() async throws {
        let schedule = JobSchedule(
            "often",
            kind: "flaky",
            parameters: Number(number: 2),
            .every(.seconds(1))
        )
        let service = serve([schedule])
        var seen: Set<Int64> = []
        for await run in service.events where run.state == .succeeded {
            seen.insert(run.id)
            if seen.count == 2 { break }
        }
        XCTAssertEqual(seen.count, 2)
    }
}

/// Jobs that fail at the first attempt if their number is odd.
private struct FlakyKind: JobKind {
    struct Parameters: Codable, Sendable {
        let number: Int
        let word: String
    }

    let name = "flaky"
    let fields = [
        ParameterField("number", "Number", .integer(0...9)),
        ParameterField("word", "Word", .choice(["a", "b"]), defaultValue: "b"),
    ]
    let attempts = RunAttempts(2, delays: [.milliseconds(50)])
    private let tried = Tried()

    private final class Tried: Sendable {
        let numbers = Mutex<Set<Int>>([])
    }

    func title(of parameters: Parameters) -> String { "\(parameters.word) \(parameters.number)" }

    func makeJob(_ parameters: Parameters, in environment: JobEnvironment) -> PreparedJob {
        let isFirst = tried.numbers.withLock { $0.insert(parameters.number).inserted }
        let fails = isFirst && !parameters.number.isMultiple(of: 2)
        return PreparedJob(OnePartJob(fails: fails, queue: environment.queue))
    }
}

// Operation forces @unchecked. The stored property is constant.
private final class OnePartJob: JobController, @unchecked Sendable {
    private struct Broken: Error {}
    private let fails: Bool

    init(fails: Bool, queue: TaskQueue) {
        self.fails = fails
        super.init(queue: queue)
    }

    override func main() {
        let fails = fails
        trackAndQueue(ClosureOperation<Void>(name: "part") { if fails { throw Broken() } })
    }
}

/// Jobs of four steps, the last of which fails the first time.
private struct ImportKind: JobKind {
    struct Parameters: Codable, Sendable {}

    let bodies = EventLog()
    let name = "import"
    let fields: [ParameterField] = []
    let runsAgainAfterCrash = true
    let attempts = RunAttempts(2, delays: [])

    func title(of parameters: Parameters) -> String { "Import" }

    func makeJob(_ parameters: Parameters, in environment: JobEnvironment) throws -> PreparedJob {
        PreparedJob(ImportJob(try environment.journal, bodies, queue: environment.queue))
    }
}

// Operation forces @unchecked. The stored properties are constant.
private final class ImportJob: JobController, @unchecked Sendable {
    private struct Broken: Error {}
    private let journal: JobJournal
    private let bodies: EventLog

    init(_ journal: JobJournal, _ bodies: EventLog, queue: TaskQueue) {
        self.journal = journal
        self.bodies = bodies
        super.init(queue: queue)
    }

    override func main() { take(0) }

    private func take(_ number: Int) {
        guard number < 4 else { return }
        let step = journal.step("step \(number)") { [bodies] _ in
            bodies.record("\(number)")
            let isSecond = bodies.events.count { $0 == "3" } > 1
            if number == 3, !isSecond { throw Broken() }
            return number
        }
        trackAndQueue(step, onSuccess: { [self] _ in take(number + 1) })
    }
}
