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
            await waitForFinish(of: operation)
            XCTAssertEqual(operation.outcome?.text, "succeeded")
            XCTAssertNil(operation.error)
            XCTAssertFalse(operation.isExecuting)
            XCTAssertFalse(operation.isCancelled)
        }
    }

    // O1: executing from `main()` to the finish, on every runner.
    func testOperationIsExecutingUntilItFinishes() async {
        for runner in OperationRunner.allCases {
            let operation = ProbeOperation()
            XCTAssertTrue(operation.isReady)
            XCTAssertTrue(operation.isAsynchronous)
            XCTAssertFalse(operation.isExecuting)
            runner.run(operation)
            await operation.began.opened()
            XCTAssertTrue(operation.isExecuting)
            XCTAssertFalse(operation.isFinished)
            XCTAssertNil(operation.outcome)
            operation.finish()
            XCTAssertFalse(operation.isExecuting)
            XCTAssertTrue(operation.isFinished)
            XCTAssertEqual(operation.mains.count, 1)
        }
    }

    // O1: no lock is held over the notifications; who waits for the finish may ask anything.
    func testDependentsAndWaitersSeeAFinishedOperation() async {
        let operation = ProbeOperation()
        let seen = EventLog()
        let dependent = BlockOperation { [unowned operation] in
            operation.cancel()
            operation.finish(with: SampleFailure())
            seen.record("\(operation.isFinished) \(operation.outcome?.text ?? "nil")")
        }
        dependent.addDependency(operation)
        OperationQueue().add(operation, dependent)
        await operation.began.opened()
        operation.finish()
        await waitForFinish(of: dependent)
        XCTAssertEqual(seen.events, ["true succeeded"])
    }

    // O2
    func testSecondFinishIsIgnored() {
        let operation = ScriptedOperation {
            $0.finish(with: SampleFailure(number: 1))
            $0.finish()
            $0.finish(with: SampleFailure(number: 2))
        }
        operation.start()
        operation.finish()
        XCTAssertEqual(operation.error as? SampleFailure, SampleFailure(number: 1))
    }

    // O2
    func testFinishBeforeStartFinishesWithoutMainWhenStarted() async {
        for runner in OperationRunner.allCases {
            let operation = ProbeOperation()
            operation.finish(with: SampleFailure())
            operation.finish()
            XCTAssertFalse(operation.isFinished)
            XCTAssertNil(operation.outcome)
            XCTAssertNil(operation.error)
            runner.run(operation)
            await waitForFinish(of: operation)
            XCTAssertEqual(operation.mains.count, 0)
            XCTAssertEqual(operation.error as? SampleFailure, SampleFailure())
        }
    }

    // O2
    func testFinishInsideMainThenWorkGoesOnInMain() {
        let log = EventLog()
        let operation = ScriptedOperation {
            $0.finish()
            log.record("finished \($0.isFinished), executing \($0.isExecuting)")
        }
        operation.start()
        XCTAssertEqual(log.events, ["finished true, executing false"])
    }

    // O3
    func testFinishWithCancellationErrorMeansCancelled() {
        let operation = ScriptedOperation { $0.finish(with: CancellationError()) }
        operation.start()
        XCTAssertEqual(operation.outcome?.text, "cancelled")
        XCTAssertNil(operation.error)
        XCTAssertFalse(operation.isCancelled)
    }

    // O2: one of many finishes wins, whatever starts meanwhile.
    func testFinishesFromManyThreadsGiveOneOutcome() async {
        await forEachSeed(1...800) { random in
            let operation = ProbeOperation()
            let completions = Tally()
            let completed = expectation(description: "completion block")
            operation.completionBlock = {
                completions.add()
                completed.fulfill()
            }
            let starter = Int.random(in: 0..<6, using: &random)
            await runOnThreads(6) { number in
                if number == starter { return operation.start() }
                operation.finish(with: SampleFailure(number: number))
            }
            await fulfillment(of: [completed], timeout: 60)
            XCTAssertTrue(operation.isFinished)
            XCTAssertNotEqual((operation.error as? SampleFailure)?.number, starter)
            XCTAssertNotNil(operation.error as? SampleFailure)
            XCTAssertEqual(completions.count, 1)
        }
    }
}
