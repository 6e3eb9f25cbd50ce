import Foundation
import JobKit
import JobKitTesting
import JobStore
import Logging
import XCTest

@testable import JobService

/// Tests the limits of runs, and runs that exceed them.
final class RunLimitTests: XCTestCase {
    func testATitleIsKeptUpToItsLimitAndALongerOneFailsTheRun() async throws {
        let (service, ends) = serve([TitledKind()])
        var iterator = ends.makeAsyncIterator()
        for length in [200, 201, 60_000] {
            let run = try await service.submit(kind: "titled", parameters: ["length": length])
            XCTAssertEqual(run.title.count, 200)
            XCTAssertEqual(run.title.last, length == 200 ? "é" : "…")
            let end = await iterator.next()
            XCTAssertEqual(end?.id, run.id)
            XCTAssertEqual(end?.state, length == 200 ? .succeeded : .failed)
            let sentence = "The title has \(length) characters, and at most 200 are kept."
            XCTAssertEqual(end?.error, length == 200 ? nil : sentence)
        }
    }

    func testAResultIsKeptUpToItsLimitAndALargerOneFailsTheRun() async throws {
        let (service, ends) = serve([LongResultKind()])
        var iterator = ends.makeAsyncIterator()
        let limit = 8 * 1_024 * 1_024
        for size in [limit, limit + 1] {
            try await service.submit(kind: "long", parameters: ["size": size])
            let end = await iterator.next()
            XCTAssertEqual(end?.state, size == limit ? .succeeded : .failed)
            let sentence =
                "The result cannot be kept: it has \(size) bytes, and at most \(limit) are kept."
            XCTAssertEqual(end?.error, size == limit ? nil : sentence)
        }
    }

    /// A value that JSON cannot represent once succeeded with the result null.
    func testAResultThatCannotBeEncodedFailsTheRun() async throws {
        let (service, ends) = serve([NotANumberKind()])
        try await service.submit(kind: "nan", parameters: [String: Int]())
        let end = await ends.first { _ in true }
        XCTAssertEqual(end?.state, .failed)
        let error = try XCTUnwrap(end?.error)
        XCTAssertTrue(error.hasPrefix("The result cannot be kept: "), error)
        XCTAssertFalse(error.contains("\n"), error)
    }

    /// If runs block their threads beyond the limit, they fail, are abandoned and release their
    /// permits.
    func testRunsBeyondTheirTimeAreGivenUpAndTheirPlacesAreOthers() async throws {
        let released = Gate()
        let (service, ends) = serve([HungKind(released: released), TitledKind()]) {
            $0.jobs = 2
            $0.width = 2
            $0.giveUp = .milliseconds(50)
        }
        defer { released.open() }
        var iterator = ends.makeAsyncIterator()
        var hung: Set<Int64> = []
        for _ in 0..<6 {
            hung.insert(try await service.submit(kind: "hung", parameters: [String: Int]()).id)
        }
        let waiting = try await service.submit(kind: "titled", parameters: ["length": 1])
        for _ in 0..<7 {
            guard let end = await iterator.next() else { break }
            guard hung.remove(end.id) != nil else {
                XCTAssertEqual(end.id, waiting.id)
                XCTAssertEqual(end.state, .succeeded)
                continue
            }
            XCTAssertEqual(end.state, .failed)
            XCTAssertEqual(
                end.error,
                "The time limit of 0.05 s (the timeLimit of hung) is over. Abandoned: these tasks did not "
                    + "stop within 0.05 s: blocked."
            )
        }
        XCTAssertEqual(hung, [])
    }

    /// If a job limits the stop time of its tasks, it ends by itself before the server abandons it.
    func testATaskWithAStopTimeOfItsOwnEndsItsRunAtTheLimit() async throws {
        let released = Gate()
        let kind = HungKind(released: released, maximumStopTime: .milliseconds(50))
        let (service, ends) = serve([kind]) {
            $0.jobs = 1
            $0.giveUp = .seconds(3_600)
        }
        defer { released.open() }
        var iterator = ends.makeAsyncIterator()
        for _ in 0..<2 {
            try await service.submit(kind: "hung", parameters: [String: Int]())
            let end = await iterator.next()
            XCTAssertEqual(end?.state, .failed)
            XCTAssertEqual(
                end?.error,
                "The time limit of 0.05 s (the timeLimit of hung) is over."
            )
        }
    }

    /// Serves until the test ends.
    private func serve(
        _ kinds: [any JobKind],
        _ change: (inout JobServiceConfiguration) -> Void = { _ in }
    ) -> (JobService, AsyncStream<RunRecord>) {
        let folder = NSTemporaryDirectory() + "run-limits-" + UUID().uuidString
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        addTeardownBlock { try? FileManager.default.removeItem(atPath: folder) }
        var configuration = JobServiceConfiguration()
        configuration.port = 0
        configuration.data = folder + "/data"
        configuration.handlesSignals = false
        configuration.durability = .crash
        change(&configuration)
        let service = JobService(
            configuration: configuration,
            kinds: kinds,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        let ends = AsyncStream<RunRecord>.makeStream()
        service.onEnd { ends.continuation.yield($0) }
        let serving = Task { try await service.run() }
        addTeardownBlock {
            serving.cancel()
            _ = await serving.result
        }
        return (service, ends.stream)
    }
}

/// Jobs with only a title.
private struct TitledKind: JobKind {
    struct Parameters: Codable, Sendable { let length: Int }

    let name = "titled"
    let fields = [ParameterField("length", "Length", .integer(0...100_000))]

    func title(of parameters: Parameters) -> String {
        String(repeating: "é", count: parameters.length)
    }

    func makeJob(_ parameters: Parameters, in environment: JobEnvironment) -> PreparedJob {
        PreparedJob(JobController(queue: environment.queue))
    }
}

/// Jobs with a result of the given size as JSON.
private struct LongResultKind: JobKind {
    struct Parameters: Codable, Sendable { let size: Int }

    let name = "long"
    let fields = [ParameterField("size", "Size", .integer(2...100_000_000))]

    func title(of parameters: Parameters) -> String { "Long" }

    func makeJob(_ parameters: Parameters, in environment: JobEnvironment) -> PreparedJob {
        PreparedJob(JobController(queue: environment.queue)) {
            String(repeating: "a", count: parameters.size - 2)
        }
    }
}

/// Jobs with the result NaN, which is not a number.
private struct NotANumberKind: JobKind {
    struct Parameters: Codable, Sendable {}

    let name = "nan"
    let fields: [ParameterField] = []

    func title(of parameters: Parameters) -> String { "Not a number" }

    func makeJob(_ parameters: Parameters, in environment: JobEnvironment) -> PreparedJob {
        PreparedJob(JobController(queue: environment.queue)) { ["mean": Double.nan] }
    }
}

/// Jobs with a task that blocks its thread until the end of the test.
private struct HungKind: JobKind {
    struct Parameters: Codable, Sendable {}

    let name = "hung"
    let fields: [ParameterField] = []
    let timeLimit: Duration? = .milliseconds(50)
    let released: Gate
    var maximumStopTime: Duration?

    func title(of parameters: Parameters) -> String { "Hung" }

    func makeJob(_ parameters: Parameters, in environment: JobEnvironment) -> PreparedJob {
        PreparedJob(HungJob(released, maximumStopTime, queue: environment.queue))
    }
}

// Operation forces @unchecked. The stored properties are constant.
private final class HungJob: JobController, @unchecked Sendable {
    private let released: Gate
    private let stopTime: Duration?

    init(_ released: Gate, _ stopTime: Duration?, queue: TaskQueue) {
        self.released = released
        self.stopTime = stopTime
        super.init(queue: queue)
    }

    override func main() {
        let released = released
        let task = ClosureOperation<Void>(name: "blocked") { released.wait() }
        task.maximumStopTime = stopTime
        trackAndQueue(task)
    }
}
