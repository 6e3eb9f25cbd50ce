import Foundation
import JobKit
import JobKitTesting
import XCTest

// The job and the tests of the article "Testing a job", word for word.

typealias Send = @Sendable (_ file: String, _ attempt: Int) async throws -> Void

struct Refused: Error {}

final class UploadJob: JobController, @unchecked Sendable {
    private let files: [String]
    private let send: Send
    private let delays: any Clock<Duration>
    private(set) var uploaded: [String] = []

    init(
        _ files: [String],
        queue: any OperationScheduling = TaskQueue.shared,
        delays: any Clock<Duration> = ContinuousClock(),
        send: @escaping Send
    ) {
        self.files = files
        self.send = send
        self.delays = delays
        super.init(queue: queue)
    }

    override func main() {
        for file in files {
            let upload = RetryOperation(
                .exponential(attempts: 3, initialDelay: .seconds(1), jitter: 0),
                shouldRetry: { !($0 is Refused) },
                make: { [send] attempt in
                    AsyncOperation(name: "attempt \(attempt) of \(file)") {
                        try await send(file, attempt)
                    }
                }
            )
            upload.name = file
            upload.clock = delays
            trackAndQueue(upload) { _ in self.uploaded.append(file) }
        }
    }
}

final class UploadJobTests: XCTestCase {
    private struct Busy: Error {}

    private let queue = StepQueue()
    private let clock = ManualClock()
    private let log = EventLog()

    /// Returns a job that finds its server busy until the attempt with this number.
    private func job(_ files: String..., succeedingAt number: Int) -> UploadJob {
        UploadJob(files, queue: queue, delays: clock) { [log] file, attempt in
            log.record("\(file) \(attempt)")
            if attempt < number { throw Busy() }
        }
    }

    func testEveryFileIsUploadedInAnyOrder() async throws {
        for seed in 0..<50 {
            let job = job("a", "b", "c", succeedingAt: 1)
            try await queue.run(job, seed: UInt64(seed))
            XCTAssertEqual(job.uploaded.sorted(), ["a", "b", "c"], "seed \(seed)")
        }
    }

    func testEveryFileIsUploadedInEveryOrder() async throws {
        // Without retries, whose attempts may end on a thread that the queue does not control.
        final class Uploads: JobController, @unchecked Sendable {
            private(set) var uploaded: [String] = []

            override func main() {
                for file in ["a", "b"] {
                    let upload = ClosureOperation(name: file) {}
                    trackAndQueue(upload, completion: { _ in self.uploaded.append(file) })
                }
            }
        }
        let orders = try await StepQueue.runEveryOrder { queue in
            Uploads(queue: queue)
        } check: { job in
            guard job.uploaded.sorted() == ["a", "b"] else { throw Busy() }
        }
        XCTAssertTrue(orders.isComplete, "\(orders)")
    }

    func testBusyServerIsTriedAgainAfterOneAndTwoSeconds() async throws {
        let job = job("a", succeedingAt: 3)
        let run = Task { [queue] in try await queue.run(job, seed: 0) }
        for seconds in [1, 2] {
            await clock.waitForDeadline(clock.now.advanced(by: .seconds(seconds)))
            clock.advance(by: .seconds(seconds))
        }
        try await run.value
        XCTAssertEqual(log.events, ["a 1", "a 2", "a 3"])
        XCTAssertEqual(job.uploaded, ["a"])
    }

    func testThirdFailureFailsTheJob() async {
        let job = job("a", succeedingAt: 4)
        let run = Task { [queue] in try await queue.run(job, seed: 0) }
        for seconds in [1, 2] {
            await clock.waitForDeadline(clock.now.advanced(by: .seconds(seconds)))
            clock.advance(by: .seconds(seconds))
        }
        do {
            try await run.value
            XCTFail("no error")
        } catch {
            XCTAssertTrue(error is Busy)
        }
        XCTAssertEqual(job.uploaded, [])
    }

    func testRefusedUploadIsNotRepeated() async {
        let job = UploadJob(["a"], queue: queue, delays: clock) { _, _ in throw Refused() }
        try? await queue.run(job, seed: 0)
        XCTAssertTrue(job.error is Refused)
        XCTAssertNil(clock.nextDeadline)
    }

    func testCancelEndsADelayAtOnce() async {
        let job = job("a", succeedingAt: 2)
        let run = Task { [queue] in try await queue.run(job, seed: 0) }
        await clock.waitForDeadline(clock.now.advanced(by: .seconds(1)))
        job.cancel()
        try? await run.value
        guard case .cancelled? = job.outcome else { return XCTFail("the job was not cancelled") }
        XCTAssertEqual(log.events, ["a 1"])
    }

    func testUploadWithoutAnAnswerIsExplained() async {
        let never = Gate()
        let job = UploadJob(["a"], queue: queue, delays: clock) { _, _ in
            await never.waitUntilOpen()
        }
        do {
            try await queue.run(job, seed: 0, patience: .zero)
            XCTFail("no error")
        } catch {
            let explanation = (error as? StepQueueStallError)?.explanation
            XCTAssertEqual(explanation?.contains("attempt 1 of a: executing"), true, "\(error)")
        }
        never.open()
        await job.waitForFinish()
    }

    func testSlowAttemptIsRepeated() async {
        let upload = RetryOperation(
            .exponential(attempts: 2, initialDelay: .seconds(1), jitter: 0)
        ) { [clock] _ -> ConcurrentOperation in
            let attempt = AsyncOperation { try await Task.sleep(for: .seconds(1_000_000)) }
            attempt.clock = clock
            attempt.maximumRuntime = .seconds(30)
            return attempt
        }
        upload.clock = clock
        TaskQueue.shared.addOperation(upload)
        for seconds in [30, 1, 30] {  // limit, delay, limit
            await clock.waitForDeadline(clock.now.advanced(by: .seconds(seconds)))
            clock.advance(by: .seconds(seconds))
        }
        await upload.waitForFinish()
        XCTAssertTrue(upload.error is OperationTimeoutError)
    }

    func testFirstStepQueuesAnUploadForEachFile() {
        let queue = StepQueue()
        let job = UploadJob(["a", "b"], queue: queue) { _, _ in }
        job.startJob(on: queue)
        queue.runNext()  // the job's main()
        XCTAssertEqual(queue.held.map(\.name), ["a", "b"])
    }
}
