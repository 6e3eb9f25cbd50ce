import Foundation
import JobJournal
import JobKit
import JobKitTesting
import XCTest

/// S11: a step is a task like any other, recorded or not.
final class StepAsATaskTests: XCTestCase {
    @TaskLocal private static var label = "none"

    private final class Observer: JobObserver {
        let log = EventLog()

        func job(_ job: JobController, didRecord event: JobEvent) {
            guard event.type == DurableOperation<Int>.self else { return }
            log.record("\(event.kind)")
        }
    }

    func testAKnownStepEmitsTheEventsOfAnyTask() async throws {
        let folder = TemporaryFolder(self)
        for _ in 1...2 {
            let journal = try folder.journal()
            let (job, observer, recorder) = (JobController(), Observer(), TimelineRecorder())
            job.addObserver(observer)
            job.addObserver(recorder)
            job.trackAndQueue(journal.step("a") { _ in 5 })
            try await job.run()
            XCTAssertEqual(observer.log.events, ["tracked", "started", "finished", "delivered"])
            XCTAssertEqual(recorder.timeline.entries.filter { $0.name == "a" }.count, 1)
            XCTAssertEqual(job.progress.fractionCompleted, 1)
            await journal.close()
        }
    }

    func testCancellationReachesTheOperationOfAStep() async throws {
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        let made = AsyncOperation {
            try await Task.sleep(for: .seconds(1000))
            return 1
        }
        let step = journal.operationStep("a") { _ in made }
        step.start()
        XCTAssertTrue(made.isExecuting)
        step.cancel()
        await step.waitForFinish()
        XCTAssertEqual(made.outcome?.description, "cancelled")
        XCTAssertEqual(step.outcome?.description, "cancelled")
    }

    func testACancelReachesTheBody() async throws {
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        let began = Gate()
        let step = journal.step("a") { _ in
            began.open()
            try await Task.sleep(for: .seconds(1000))
            return 1
        }
        step.start()
        await began.waitUntilOpen()
        XCTAssertTrue(step.isExecuting)
        XCTAssertEqual(step.trackedTasks, [])
        step.cancel()
        await step.waitForFinish()
        XCTAssertEqual(step.outcome?.description, "cancelled")
        XCTAssertEqual(journal.recordedCount, 0)
    }

    func testAContextReachesTheBody() async throws {
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        let job = JobController()
        job.setContext { body in Self.$label.withValue("import") { body() } }
        let body = journal.step("body") { _ in Self.label }
        let made = journal.operationStep("made") { _ in ClosureOperation { Self.label } }
        job.trackAndQueue(body)
        job.trackAndQueue(made)
        try await job.run()
        let (first, second) = (try await body.value, try await made.value)
        XCTAssertEqual([first, second], ["import", "import"])
    }

    func testProgressAndExplanationsReachTheMadeOperation() async throws {
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        let gate = Gate()
        let (half, job) = (expectation(description: "half"), JobController())
        let step = journal.operationStep("copy") { _ in Half(gate, half) }
        job.trackAndQueue(step)
        let runs = Task { try await job.run() }
        await fulfillment(of: [half], timeout: 300)
        XCTAssertTrue(job.explainStall().contains("at half"), job.explainStall())
        // A step counts only after its `main()` has returned.
        while job.progress.fractionCompleted == 0 { await Task.yield() }
        XCTAssertEqual(job.progress.fractionCompleted, 0.5, accuracy: 0.01)
        gate.open()
        try await runs.value
        XCTAssertEqual(journal.recordedCount, 1)
    }

    func testASuspendedStepMakesNothingStart() async throws {
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        let starts = Tally()
        let step = journal.operationStep("a") { _ in ClosureOperation { starts.count() } }
        step.isSuspended = true
        step.start()
        XCTAssertEqual(starts.value, 0)
        XCTAssertFalse(step.isFinished)
        step.isSuspended = false
        let value = try await step.value
        XCTAssertEqual(value, 1)
    }

    func testASuspendedStepRunsItsBodyWhenItIsResumed() async throws {
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        let starts = Tally()
        let step = journal.step("a") { _ in starts.count() }
        step.isSuspended = true
        step.start()
        XCTAssertEqual(starts.value, 0)
        XCTAssertFalse(step.isFinished)
        step.isSuspended = false
        let value = try await step.value
        XCTAssertEqual(value, 1)
    }

    func testAStepThatFailsInItsOperationFailsWithThatError() async throws {
        struct Broken: Error {}
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        let step = journal.operationStep("a") { _ in
            RetryOperation(.exponential(attempts: 2, initialDelay: .zero)) { _ in
                ClosureOperation<Int> { throw Broken() }
            }
        }
        step.start()
        await step.waitForFinish()
        XCTAssertTrue(step.error is Broken)
        XCTAssertEqual(journal.recordedCount, 0)
    }

    /// Runs a million steps with `JOURNAL_STEPS=1000000`, as CI does in release.
    func testManyStepsInOneJournal() async throws {
        let count = Int(ProcessInfo.processInfo.environment["JOURNAL_STEPS"] ?? "") ?? 5_000
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        let queue = TaskQueue(maxConcurrentOperationCount: 64)
        for first in stride(from: 0, to: count, by: 10_000) {
            for number in first..<min(first + 10_000, count) {
                queue.addOperation(journal.step("\(number)") { _ in number })
            }
            await queue.waitForAllOperations()
        }
        XCTAssertEqual(journal.recordedCount, count)
        await journal.close()
        let next = try folder.journal()
        XCTAssertEqual(next.recordedCount, count)
        let step = next.step("\(count / 2)") { _ in -1 }
        step.start()
        let value = try await step.value
        XCTAssertEqual(value, count / 2)
    }
}

private final class Half: ResultOperation<Int>, @unchecked Sendable {
    private let gate: Gate
    private let half: XCTestExpectation

    init(_ gate: Gate, _ half: XCTestExpectation) {
        self.gate = gate
        self.half = half
        super.init()
    }

    override func main() {
        reportProgress(0.5)
        half.fulfill()
        Task { [gate] in
            await gate.waitUntilOpen()
            finish(returning: 1)
        }
    }

    override func didCancel() { finish() }

    override var statusNote: String? { "at half" }
}
