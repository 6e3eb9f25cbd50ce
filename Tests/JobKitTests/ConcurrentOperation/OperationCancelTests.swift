import Foundation
import JobKit
import JobKitTesting
import XCTest

final class OperationCancelTests: XCTestCase {
    // O4
    func testCancelBeforeStartFinishesWithoutMain() async {
        for runner in OperationRunner.allCases {
            let operation = HeldOperation(stopsWhenCancelled: false)
            operation.cancel()
            XCTAssertTrue(operation.isCancelled)
            XCTAssertTrue(operation.isReady)
            XCTAssertFalse(operation.isFinished)
            XCTAssertNil(operation.outcome)
            runner.run(operation)
            await waitForFinish(ofCancelled: operation)
            XCTAssertEqual([operation.mains.count, operation.cancels.count], [0, 0])
            XCTAssertEqual(operation.outcome?.text, "cancelled")
        }
    }

    // O4: cancelled while it waits for a dependency that never finishes.
    func testCancelOfAWaitingOperationFinishesItInItsQueue() async {
        for runner in [OperationRunner.operationQueue, .taskQueue] {
            let (blocker, operation) = (
                HeldOperation(stopsWhenCancelled: false), HeldOperation(stopsWhenCancelled: false)
            )
            operation.addDependency(blocker)
            runner.run(operation)
            XCTAssertFalse(operation.isReady)
            operation.cancel()
            await waitForFinish(ofCancelled: operation)
            XCTAssertEqual(operation.mains.count, 0)
        }
    }

    // O5: cancellation only asks the work to stop.
    func testDefaultDidCancelDoesNothing() async {
        final class Work: ResultOperation<Int>, @unchecked Sendable {
            let began = Gate()
            override func main() { began.open() }
        }
        for runner in OperationRunner.allCases {
            let operation = Work()
            runner.run(operation)
            await operation.began.waitUntilOpen()
            operation.cancel()
            XCTAssertTrue(operation.isExecuting)
            operation.finish(returning: 1)
            await bounded { await operation.waitForFinish() }
            XCTAssertEqual(operation.outcome?.text, "cancelled")
            XCTAssertThrowsError(try operation.result?.get()) {
                XCTAssertTrue($0 is CancellationError)
            }
        }
    }

    // O5
    func testOverriddenDidCancelKeepsExecutingUntilTheWorkHasStopped() async {
        for runner in OperationRunner.allCases {
            let operation = HeldOperation(stopsWhenCancelled: false)
            runner.run(operation)
            await operation.began.waitUntilOpen()
            operation.cancel()
            operation.cancel()
            XCTAssertEqual(operation.cancels.count, 1)
            XCTAssertTrue(operation.isExecuting)
            XCTAssertTrue(operation.isCancelled)
            XCTAssertNil(operation.outcome)
            operation.finish(with: SampleError())
            XCTAssertEqual(operation.outcome?.text, "cancelled")
            XCTAssertNil(operation.error)
        }
    }

    // O5
    func testCancelAfterTheFinishIsIgnored() {
        let operation = ScriptedOperation(
            onCancel: { _ in XCTFail("told after the finish") },
            onMain: {
                $0.finish()
                $0.cancel()
            }
        )
        operation.start()
        operation.cancel()
        XCTAssertFalse(operation.isCancelled)
        XCTAssertEqual(operation.outcome?.text, "succeeded")
    }

    // O5: cancelled by its own `main()`.
    func testCancelInsideMainCallsDidCancelAtOnce() {
        let log = EventLog()
        let operation = ScriptedOperation(
            onCancel: { _ in log.record("told") },
            onMain: {
                $0.cancel()
                log.record("main goes on")
                $0.finish()
            }
        )
        operation.start()
        XCTAssertEqual(log.events, ["told", "main goes on"])
        XCTAssertEqual(operation.outcome?.text, "cancelled")
    }

    // O5: a finish on another thread takes effect when didCancel has returned.
    func testOperationDoesNotFinishDuringDidCancel() async {
        let (told, goOn) = (Gate(), Gate())
        let states = EventLog()
        let operation = ScriptedOperation(
            onCancel: {
                told.open()
                goOn.wait()
                states.record("finished \($0.isFinished)")
            },
            onMain: { _ in }
        )
        operation.start()
        DispatchQueue.global().async { operation.cancel() }
        await told.waitUntilOpen()
        operation.finish()
        XCTAssertFalse(operation.isFinished)
        goOn.open()
        await bounded { await operation.waitForFinish() }
        XCTAssertEqual(states.events, ["finished false"])
    }

    // O5: didCancel of one operation cancels and finishes another one and itself, in nested calls.
    func testNestedCancelsFinishBoth() {
        let inner = HeldOperation()
        let outer = ScriptedOperation(
            onCancel: {
                inner.cancel()
                $0.finish()
            },
            onMain: { _ in }
        )
        inner.start()
        outer.start()
        outer.cancel()
        XCTAssertTrue(inner.isFinished)
        XCTAssertTrue(outer.isFinished)
    }

    // O2, O3, O5
    func testStartFinishAndCancelFromManyThreads() async {
        await forEachSeed(1...1500) { random in
            let operation = HeldOperation(stopsWhenCancelled: random.chance(50))
            var roles = ["start", "cancel", "cancel", "finish", "fail"]
            roles.shuffle(using: &random)
            let (script, order) = (roles, Tally())
            await runOnThreads(5) { number in
                order.add()
                switch script[number] {
                case "start": operation.start()
                case "cancel": operation.cancel()
                case "finish": operation.finish()
                default: operation.finish(with: SampleError())
                }
            }
            await bounded { await operation.waitForFinish() }
            XCTAssertLessThanOrEqual(operation.cancels.count, operation.mains.count)
            // A cancellation that comes after the decision only sets `isCancelled` (O12).
            switch operation.outcome {
            case .cancelled: XCTAssertTrue(operation.isCancelled)
            case .succeeded, .failed: break
            case nil: XCTFail("finished without an outcome")
            }
        }
    }
}
