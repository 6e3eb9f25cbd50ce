import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

final class OperationFinishTests: XCTestCase {
    // O1
    func testDefaultMainFinishesAtOnce() async {
        for runner in OperationRunner.allCases {
            let operation = ConcurrentOperation()
            XCTAssertNil(operation.outcome)
            runner.run(operation)
            await bounded { await operation.waitForFinish() }
            XCTAssertEqual(operation.outcome?.text, "succeeded")
            XCTAssertNil(operation.error)
            XCTAssertFalse(operation.isExecuting)
            XCTAssertFalse(operation.isCancelled)
        }
    }

    // O1: executing from `main()` until it finishes, on every runner.
    func testOperationIsExecutingUntilItFinishes() async {
        for runner in OperationRunner.allCases {
            let operation = HeldOperation(stopsWhenCancelled: false)
            XCTAssertTrue(operation.isReady)
            XCTAssertTrue(operation.isAsynchronous)
            XCTAssertFalse(operation.isExecuting)
            runner.run(operation)
            await operation.began.waitUntilOpen()
            XCTAssertTrue(operation.isExecuting)
            XCTAssertFalse(operation.isFinished)
            XCTAssertNil(operation.outcome)
            operation.finish()
            XCTAssertFalse(operation.isExecuting)
            XCTAssertTrue(operation.isFinished)
            XCTAssertEqual(operation.mains.count, 1)
        }
    }

    // O1: no lock is held during the notifications, so the code that waits may read any state.
    func testDependentsAndWaitersSeeAFinishedOperation() async {
        let operation = HeldOperation(stopsWhenCancelled: false)
        let seen = EventLog()
        let dependent = BlockOperation { [unowned operation] in
            operation.cancel()
            operation.finish(with: SampleError())
            seen.record("\(operation.isFinished) \(operation.outcome?.text ?? "nil")")
        }
        dependent.addDependency(operation)
        OperationQueue().add(operation, dependent)
        await operation.began.waitUntilOpen()
        operation.finish()
        await bounded { await dependent.waitForFinish() }
        XCTAssertEqual(seen.events, ["true succeeded"])
    }

    // O2
    func testSecondFinishIsIgnored() {
        let operation = ScriptedOperation {
            $0.finish(with: SampleError(number: 1))
            $0.finish()
            $0.finish(with: SampleError(number: 2))
        }
        operation.start()
        operation.finish()
        XCTAssertEqual(operation.error as? SampleError, SampleError(number: 1))
    }

    // O2
    func testFinishBeforeStartFinishesWithoutMainWhenStarted() async {
        for runner in OperationRunner.allCases {
            let operation = HeldOperation(stopsWhenCancelled: false)
            operation.finish(with: SampleError())
            operation.finish()
            XCTAssertFalse(operation.isFinished)
            XCTAssertNil(operation.outcome)
            XCTAssertNil(operation.error)
            runner.run(operation)
            await bounded { await operation.waitForFinish() }
            XCTAssertEqual(operation.mains.count, 0)
            XCTAssertEqual(operation.error as? SampleError, SampleError())
        }
    }

    // O2
    func testMainMayContinueAfterFinish() {
        let log = EventLog()
        let operation = ScriptedOperation {
            $0.finish()
            log.record("finished \($0.isFinished), executing \($0.isExecuting)")
        }
        operation.start()
        XCTAssertEqual(log.events, ["finished true, executing false"])
    }

    // O3: Foundation sees a cancellation too, and `didCancel()` is not called.
    func testFinishWithCancellationErrorMeansCancelled() {
        let log = EventLog()
        let operation = ScriptedOperation(
            onCancel: { _ in log.record("told") },
            onMain: { $0.finish(with: CancellationError()) }
        )
        operation.start()
        XCTAssertEqual(operation.outcome?.text, "cancelled")
        XCTAssertNil(operation.error)
        XCTAssertTrue(operation.isCancelled)
        XCTAssertTrue(operation.isFinished)
        XCTAssertEqual(log.events, [])
    }

    // O3: `isCancelled` is true before the completion notification and during it.
    func testDependentsSeeThatTheirDependencyWasCancelled() {
        let log = EventLog()
        for brought in [CancellationError() as any Error, SampleError()] {
            let operation = ScriptedOperation { $0.finish(with: brought) }
            let hook = FinishHook { log.record("cancelled \(operation.isCancelled)") }
            hook.watch(operation)
            operation.start()
        }
        XCTAssertEqual(log.events, ["cancelled true", "cancelled false"])
    }

    // O3, O4: before the start it acts like a cancellation, so the operation waits for nothing.
    func testFinishWithCancellationErrorBeforeTheStartIsACancel() async {
        let queue = TaskQueue(name: "cancelled")
        let operation = HeldResultOperation<Int>()
        operation.addDependency(ConcurrentOperation())
        queue.addOperation(operation)
        XCTAssertFalse(operation.isReady)
        operation.finish(with: CancellationError())
        XCTAssertTrue(operation.isCancelled)
        await waitForFinish(ofCancelled: operation)
        XCTAssertEqual(operation.outcome?.text, "cancelled")
        let never = HeldResultOperation<Int>()
        never.finish(with: CancellationError())
        await expectThrow(CancellationError.self) { try await never.value }
    }

    // O3
    func testEveryCancelledOutcomeIsCancelledForFoundationToo() async {
        let thrown = AsyncOperation<Int> { throw CancellationError() }
        let job = ScriptedJob { $0.finish(with: CancellationError()) }
        for operation in [thrown, job] as [ConcurrentOperation] {
            operation.start()
            await bounded { await operation.waitForFinish() }
            XCTAssertEqual(operation.outcome?.text, "cancelled")
            XCTAssertTrue(operation.isCancelled)
        }
        XCTAssertEqual(job.events, [])
    }

    // O2: one of many `finish` calls wins, even if the operation starts at the same time.
    func testFinishesFromManyThreadsGiveOneOutcome() async {
        await forEachSeed(1...800) { random in
            let operation = HeldOperation(stopsWhenCancelled: false)
            let completions = Tally()
            let completed = expectation(description: "completion block")
            operation.completionBlock = {
                completions.add()
                completed.fulfill()
            }
            let starter = Int.random(in: 0..<6, using: &random)
            await runOnThreads(6) { number in
                if number == starter { return operation.start() }
                operation.finish(with: SampleError(number: number))
            }
            await fulfillment(of: [completed], timeout: 300)
            XCTAssertTrue(operation.isFinished)
            XCTAssertNotEqual((operation.error as? SampleError)?.number, starter)
            XCTAssertNotNil(operation.error as? SampleError)
            XCTAssertEqual(completions.count, 1)
        }
    }
}
