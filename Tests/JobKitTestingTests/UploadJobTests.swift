import Foundation
import JobKit
import JobKitTesting
import XCTest

// The job and the tests of the article "Testing a job", word for word.

typealias Send =
    @Sendable (
        _ file: String, _ attempt: Int, _ done: @escaping @Sendable ((any Error)?) -> Void
    ) -> Void

final class Upload: ConcurrentOperation, @unchecked Sendable {
    private let start: @Sendable (@escaping @Sendable ((any Error)?) -> Void) -> Void

    init(_ start: @escaping @Sendable (@escaping @Sendable ((any Error)?) -> Void) -> Void) {
        self.start = start
    }

    override func main() {
        start { error in
            if let error { self.finish(with: error) } else { self.finish() }
        }
    }
}

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
                make: { [send] attempt in Upload { done in send(file, attempt, done) } }
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

    /// A server that is busy until the attempt of a number.
    private func job(_ files: String..., succeedingAt number: Int) -> UploadJob {
        UploadJob(files, queue: queue, delays: clock) { [log] file, attempt, done in
            log.record("\(file) \(attempt)")
            done(attempt < number ? Busy() : nil)
        }
    }

    func testEveryFileIsUploadedInAnyOrder() {
        for seed in 0..<50 {
            let job = job("a", "b", "c", succeedingAt: 1)
            job.startJob(on: queue)
            queue.runAll(seed: UInt64(seed))
            XCTAssertTrue(job.isFinished)
            XCTAssertEqual(job.uploaded.sorted(), ["a", "b", "c"])
        }
    }

    func testBusyServerIsAskedAgainAfterOneAndTwoSeconds() async {
        let job = job("a", succeedingAt: 3)
        job.startJob(on: queue)
        queue.runAll(seed: 0)
        for seconds in [1, 2] {
            await clock.waitForSleepers()
            XCTAssertEqual(clock.nextDeadline, clock.now.advanced(by: .seconds(seconds)))
            clock.advance(by: .seconds(seconds))
        }
        await job.waitForFinish()
        XCTAssertEqual(log.events, ["a 1", "a 2", "a 3"])
        XCTAssertEqual(job.uploaded, ["a"])
    }

    func testThirdFailureFailsTheJob() async {
        let job = job("a", succeedingAt: 4)
        job.startJob(on: queue)
        queue.runAll(seed: 0)
        for seconds in [1, 2] {
            await clock.waitForSleepers()
            clock.advance(by: .seconds(seconds))
        }
        await job.waitForFinish()
        XCTAssertTrue(job.error is Busy)
        XCTAssertEqual(job.uploaded, [])
    }

    func testRefusedUploadIsNotRepeated() {
        let job = UploadJob(["a"], queue: queue, delays: clock) { _, _, done in done(Refused()) }
        job.startJob(on: queue)
        queue.runAll(seed: 0)
        XCTAssertTrue(job.error is Refused)
        XCTAssertNil(clock.nextDeadline)
    }

    func testCancelEndsADelayAtOnce() async {
        let job = job("a", succeedingAt: 2)
        job.startJob(on: queue)
        queue.runAll(seed: 0)
        await clock.waitForSleepers()
        job.cancel()
        await job.waitForFinish()
        guard case .cancelled? = job.outcome else { return XCTFail("the job was not cancelled") }
        XCTAssertEqual(log.events, ["a 1"])
    }

    func testTaskWhoseUploadHangsIsStoppedByCancel() async {
        let job = UploadJob(["a"], queue: queue, delays: clock) { _, _, _ in }
        job.startJob(on: queue)
        queue.runAll(seed: 0)
        XCTAssertFalse(job.isFinished)
        job.cancel()
        await job.waitForFinish()
        XCTAssertTrue(job.isFinished)
    }
}
