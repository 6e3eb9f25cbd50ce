import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

// O12
final class WillFinishTests: XCTestCase {
    // Operation forces @unchecked. The closures are constants.
    /// Records each call of `willFinish()` and the state at that time.
    private final class Ending: ResultOperation<Int>, @unchecked Sendable {
        let log = EventLog()
        let began = Gate()
        private let onMain: @Sendable (Ending) -> Void
        private let onEnd: @Sendable (Ending) -> Void

        init(
            onEnd: @escaping @Sendable (Ending) -> Void = { _ in },
            onMain: @escaping @Sendable (Ending) -> Void = { _ in }
        ) {
            (self.onMain, self.onEnd) = (onMain, onEnd)
            super.init()
            name = "ending"
        }

        override func main() {
            onMain(self)
            began.open()
        }

        override func didCancel() { finish(returning: 9) }

        override func willFinish() {
            let result = result.map { (try? $0.get()).map(String.init) ?? "no value" } ?? "nil"
            log.record("\(outcome?.description ?? "nil") \(result) \(isFinished)")
            onEnd(self)
        }
    }

    func testWillFinishComesOnceBeforeEveryEnd() async {
        let ends: [(expected: String, prepare: @Sendable (Ending) -> Void)] = [
            ("succeeded 1 false", { $0.finish(returning: 1) }),
            ("failed no value false", { $0.finish(with: SampleError()) }),
            ("failed no value false", { $0.finish() }),
            ("cancelled no value false", { $0.finish(with: CancellationError()) }),
            ("cancelled no value false", { $0.cancel() }),
        ]
        for (expected, end) in ends {
            for runner in OperationRunner.allCases {
                let inMain = Ending(onMain: end)
                runner.run(inMain)
                let later = Ending()
                runner.run(later)
                await later.began.waitUntilOpen()
                end(later)
                // It was never started, so `main()` is not entered.
                let before = Ending(onMain: { _ in XCTFail("main") })
                end(before)
                XCTAssertEqual(before.log.events, [])
                runner.run(before)
                for operation in [inMain, later, before] {
                    await waitForFinish(ofCancelled: operation)
                    XCTAssertEqual(operation.log.events, [expected])
                }
            }
        }
    }

    func testCancelInWillFinishOnlySetsIsCancelled() async throws {
        let operation = Ending(
            onEnd: { operation in
                operation.cancel()
                operation.log.record("cancelled: \(operation.isCancelled)")
            },
            onMain: { $0.finish(returning: 1) }
        )
        operation.start()
        XCTAssertEqual(operation.log.events, ["succeeded 1 false", "cancelled: true"])
        XCTAssertTrue(operation.isFinished)
        let value = try await operation.value
        XCTAssertEqual(value, 1)
    }

    func testLimitsThatPassInWillFinishHaveNoEffect() async {
        let clock = ManualClock()
        let isEnding = Gate()
        let mayEnd = Gate()
        let operation = Ending(onEnd: { _ in
            isEnding.open()
            mayEnd.wait()
        })
        operation.clock = clock
        operation.maximumRuntime = .seconds(5)
        operation.maximumStopTime = .seconds(1)
        operation.start()
        Thread.detachNewThread { operation.finish(returning: 1) }
        await isEnding.waitUntilOpen()
        clock.advance(by: .seconds(5))
        operation.cancel()
        clock.advance(by: .seconds(5))
        XCTAssertFalse(operation.isFinished)
        mayEnd.open()
        await bounded { await operation.waitForFinish() }
        XCTAssertEqual(operation.outcome?.text, "succeeded")
        XCTAssertFalse(operation.isAbandoned)
        XCTAssertEqual(try operation.result?.get(), 1)
    }

    func testWillFinishOfAJobComesAfterItsCallbacks() async throws {
        final class Job: JobController, @unchecked Sendable {
            let log = EventLog()
            override func main() { trackAndQueue(InstantOperation("a")) }
            override func taskFinished(_ task: Operation) { log.record("task") }
            override func allTasksFinished() { log.record("all") }
            override func jobCancelled() { log.record("cancelled") }
            override func willFinish() { log.record("will finish, \(outcome?.text ?? "nil")") }
        }
        let job = Job()
        try await job.run()
        XCTAssertEqual(job.log.events, ["task", "all", "will finish, succeeded"])

        let cancelled = Job()
        cancelled.cancel()
        cancelled.start()
        await waitForFinish(ofCancelled: cancelled)
        XCTAssertEqual(cancelled.log.events, ["will finish, cancelled"])
    }

    func testStallNamesAnOperationWhoseWillFinishDoesNotReturn() async {
        let (isEnding, mayEnd) = (Gate(), Gate())
        let ending = Ending(
            onEnd: { _ in
                isEnding.open()
                mayEnd.wait()
            },
            onMain: { $0.finish(returning: 1) }
        )
        let job = ScriptedJob { $0.trackAndQueue(ending) }
        job.startJob()
        await isEnding.waitUntilOpen()
        // `main()` of the job may not have returned yet.
        await eventually { job.explainStall() == "job: executing\nending: finishing" }
        mayEnd.open()
        await bounded { await job.waitForFinish() }
    }
}
