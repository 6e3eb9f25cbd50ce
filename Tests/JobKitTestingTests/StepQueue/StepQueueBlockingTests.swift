import Foundation
import JobKit
import JobKitTesting
import XCTest

/// Steps that block their thread.
final class StepQueueBlockingTests: XCTestCase {
    // Operation forces @unchecked. The closure is a constant.
    private final class Script: JobController, @unchecked Sendable {
        private let script: (Script) -> Void

        init(_ queue: any OperationScheduling, _ script: @escaping (Script) -> Void) {
            self.script = script
            super.init(queue: queue)
        }

        override func main() { script(self) }
    }

    /// Its `didCancel()` does not return before the gate is opened.
    private final class Stuck: ConcurrentOperation, @unchecked Sendable {
        let release = Gate()

        override func main() {}
        override func didCancel() { release.wait() }
    }

    func testStepThatBlocksItsThreadIsAStall() async {
        let (queue, release) = (StepQueue(), Gate())
        let job = Script(queue) { job in
            job.trackAndQueue(ClosureOperation(name: "forgotten") { release.wait() })
        }
        do {
            try await queue.run(job, seed: 0, patience: .milliseconds(100))
            XCTFail("no stall")
        } catch let error as StepQueueStallError {
            XCTAssertTrue(error.explanation.contains("forgotten: executing"), error.explanation)
        } catch {
            XCTFail("\(error)")
        }
        release.open()
        await job.waitForFinish()
    }

    func testLimitOfTimeStopsAStepThatBlocksItsThread() async throws {
        final class Blocked: ConcurrentOperation, @unchecked Sendable {
            let release = Gate()

            override func main() {
                // Set here, because an operation that times out before `main()` skips it.
                maximumRuntime = .milliseconds(10)
                release.wait()
                finish()
            }
        }
        let (queue, task) = (StepQueue(), Blocked())
        task.maximumStopTime = .milliseconds(10)
        let log = EventLog()
        let job = Script(queue) { job in
            job.trackAndQueue(
                task,
                failure: .carryOn,
                completion: { task in
                    log.record("abandoned \(task.isAbandoned)")
                    job.trackAndQueue(BlockOperation { log.record("next") })
                }
            )
        }
        try await queue.run(job, seed: 0, patience: .seconds(60))
        XCTAssertEqual(log.events, ["abandoned true", "next"])
        task.release.open()
    }

    func testCancellationThatDoesNotReturnIsAbandoned() async {
        let queue = StepQueue()
        let stuck = Stuck()
        stuck.maximumStopTime = .milliseconds(10)
        let began = Gate()
        let job = Script(queue) { job in
            job.trackAndQueue(stuck)
            job.trackAndQueue(BlockOperation { began.open() })
        }
        let run = Task { try await queue.run(job, seed: 0, patience: .seconds(60)) }
        await began.waitUntilOpen()
        run.cancel()
        let result = await run.result
        XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
        XCTAssertTrue(stuck.isFinished)
        stuck.release.open()
    }
}
