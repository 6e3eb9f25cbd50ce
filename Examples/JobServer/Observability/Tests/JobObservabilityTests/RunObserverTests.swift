import Foundation
import InMemoryLogging
import InMemoryTracing
import JobKit
import JobObservability
import Logging
import PrometheusText
import Tracing
import XCTest

final class RunObserverTests: XCTestCase {
    private struct Broken: Error, CustomStringConvertible {
        let description = "two\nlines"
    }

    private func observed(
        _ job: JobController,
        tracer: InMemoryTracer = InMemoryTracer(),
        status: (@Sendable (OperationOutcome) -> String)? = nil
    ) async -> (lines: [InMemoryLogHandler.Entry], metrics: String, spans: [FinishedInMemorySpan]) {
        let handler = InMemoryLogHandler()
        let factory = PrometheusFactory()
        let observer = RunObserver(
            RunIdentity(kind: "test", id: 7, attempt: 2),
            queuedFor: .milliseconds(20),
            logger: Logger(label: "test") { _ in handler },
            metrics: RunMetrics(factory: factory),
            tracer: tracer,
            statusOfEnd: status ?? { $0.description }
        )
        job.addObserver(observer)
        job.setContext { observer.bind($0) }
        try? await job.run()
        // Observers and the code that waits for the job are notified of the end concurrently.
        let deadline = ContinuousClock.now + .seconds(300)
        while !handler.entries.contains(where: { "\($0.message)" == "Job ended" }),
            ContinuousClock.now < deadline
        {
            await Task.yield()
        }
        return (handler.entries, factory.text(), tracer.finishedSpans)
    }

    func testRunIsLoggedCountedAndTraced() async {
        let job = Fan([{}, {}, { throw Broken() }])
        let seen = await observed(job)
        XCTAssertEqual(
            seen.lines.map { "\($0.message)" },
            ["Job started", "Task failed", "Job ended"]
        )
        XCTAssertTrue(seen.lines.allSatisfy { $0.level <= .info })
        let failure = seen.lines[1].metadata
        XCTAssertEqual(failure["job.id"], "7")
        XCTAssertEqual(failure["job.kind"], "test")
        XCTAssertEqual(failure["job.attempt"], "2")
        XCTAssertEqual(failure["task.name"], "Task 2")
        XCTAssertEqual(failure["error.type"], "Broken")
        XCTAssertEqual(failure["error.message"], "two\\nlines")
        XCTAssertEqual(seen.lines[2].metadata["job.status"], "failed")
        let lines = seen.metrics.split(separator: "\n")
        XCTAssertTrue(lines.contains("jobkit_jobs_total{kind=\"test\",status=\"failed\"} 1"))
        XCTAssertTrue(lines.contains("jobkit_job_duration_seconds_count{kind=\"test\"} 1"))
        XCTAssertTrue(lines.contains("jobkit_job_queued_duration_seconds_sum{kind=\"test\"} 0.02"))
        XCTAssertTrue(
            lines.contains {
                $0.hasPrefix("jobkit_tasks_total{status=\"failed\"") && $0.hasSuffix(" 1")
            }
        )
        XCTAssertFalse(seen.metrics.contains("Task 2"), "Names are no labels")
        XCTAssertEqual(seen.spans.count, 4)
        let root = seen.spans.first { $0.operationName == "test" }
        for span in seen.spans where span.operationName != "test" {
            XCTAssertEqual(span.parentSpanID, root?.spanID)
        }
        XCTAssertEqual(root?.errors.count, 1)
    }

    func testTasksSeeTheRunsSpanAndLogger() async {
        let tracer = InMemoryTracer()
        let job = Fan([
            {
                tracer.startSpan("inside").end()
                Logger.current.info("from inside")
            }
        ])
        let seen = await observed(job, tracer: tracer)
        let root = seen.spans.first { $0.operationName == "test" }
        let inside = seen.spans.first { $0.operationName == "inside" }
        XCTAssertNotNil(root)
        XCTAssertEqual(inside?.parentSpanID, root?.spanID)
        let line = seen.lines.first { "\($0.message)" == "from inside" }
        XCTAssertEqual(line?.metadata["job.id"], "7")
    }

    func testSpansAndFailuresOfManyTasksAreLimited() async {
        let bodies: [@Sendable () throws -> Void] = Array(
            repeating: { throw Broken() },
            count: RunObserver.spanLimit + 100
        )
        let job = Fan(bodies, response: .carryOn)
        let seen = await observed(job)
        XCTAssertEqual(seen.spans.count, RunObserver.spanLimit + 1)
        let failures = seen.lines.filter { "\($0.message)" == "Task failed" }
        XCTAssertEqual(failures.count, RunObserver.failureLimit)
    }

    func testStatusOfTheEndIsTheCallers() async {
        let seen = await observed(Fan([]), status: { _ in "interrupted" })
        XCTAssertTrue(
            seen.metrics.contains("jobkit_jobs_total{kind=\"test\",status=\"interrupted\"} 1\n")
        )
    }

    func testFirstEndCounts() async {
        let factory = PrometheusFactory()
        let observer = RunObserver(
            RunIdentity(kind: "test"),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            metrics: RunMetrics(factory: factory)
        )
        let job = Fan([])
        job.addObserver(observer)
        observer.runEnded("interrupted")
        try? await job.run()
        let ends = factory.text().split(separator: "\n")
            .filter { $0.hasPrefix("jobkit_jobs_total") }
        XCTAssertEqual(ends, ["jobkit_jobs_total{kind=\"test\",status=\"interrupted\"} 1"])
    }
}

// Operation forces @unchecked. The stored properties are constant.
/// A job of closures.
private final class Fan: JobController, @unchecked Sendable {
    private let bodies: [@Sendable () throws -> Void]
    private let response: FailureResponse

    init(_ bodies: [@Sendable () throws -> Void], response: FailureResponse = .failJob) {
        self.bodies = bodies
        self.response = response
        super.init(queue: TaskQueue(maxConcurrentOperationCount: 1))
        name = "fan"
    }

    override func main() {
        for (number, body) in bodies.enumerated() {
            trackAndQueue(AsyncOperation(name: "Task \(number)") { try body() })
        }
    }

    override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse { response }
}
