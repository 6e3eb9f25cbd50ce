import Foundation
import JobKit
import JobKitTesting
import XCTest

/// O8: `maximumRuntime`, timed by a manual clock.
final class OperationTimeTests: XCTestCase {
    private let clock = ManualClock()

    private func held(limit: Duration?, stopsAtCancel: Bool = false) -> HeldOperation {
        let operation = HeldOperation(stopsWhenCancelled: stopsAtCancel)
        operation.clock = clock
        operation.maximumRuntime = limit
        return operation
    }

    private func limit(_ operation: ConcurrentOperation) -> Duration? {
        (operation.error as? OperationTimeoutError)?.limit
    }

    // O8
    func testTimeoutFailsAndCallsDidCancel() async {
        for runner in OperationRunner.allCases {
            let operation = held(limit: .seconds(5))
            runner.run(operation)
            await operation.began.waitUntilOpen()
            await clock.waitForSleepers()
            clock.advance(by: .seconds(5))
            await operation.told.waitUntilOpen()
            XCTAssertTrue(operation.isCancelled)
            XCTAssertTrue(operation.isExecuting)
            XCTAssertEqual(limit(operation), .seconds(5))
            operation.cancel()
            operation.finish(with: SampleError())
            await bounded { await operation.waitForFinish() }
            XCTAssertEqual(limit(operation), .seconds(5))
            XCTAssertEqual(operation.cancels.count, 1)
        }
    }

    // O8: with the default `didCancel()`, the timeout finishes the operation.
    func testTimeoutOfAnOperationThatStopsAtOnce() async {
        let operation = held(limit: .seconds(5), stopsAtCancel: true)
        operation.start()
        clock.advance(by: .seconds(9))
        await bounded { await operation.waitForFinish() }
        XCTAssertEqual(limit(operation), .seconds(5))
    }

    // O8: the time counts from the start, not from the initializer.
    func testTimeBeforeTheStartDoesNotCount() async {
        let operation = held(limit: .seconds(5))
        clock.advance(by: .seconds(100))
        XCTAssertNil(clock.nextDeadline)
        operation.start()
        await clock.waitForSleepers()
        XCTAssertEqual(clock.nextDeadline?.elapsed, .seconds(105))
        operation.finish()
        XCTAssertNil(clock.nextDeadline)
    }

    // O8: a limit that is set later is also measured from the start.
    func testLimitSetWhileExecutingIsMeasuredFromTheStart() async {
        let operation = held(limit: nil)
        operation.start()
        clock.advance(by: .seconds(3))
        operation.maximumRuntime = .seconds(5)
        await clock.waitForSleepers()
        XCTAssertEqual(clock.nextDeadline?.elapsed, .seconds(5))
        clock.advance(by: .seconds(2))
        await operation.told.waitUntilOpen()
        operation.finish()
        await bounded { await operation.waitForFinish() }
        XCTAssertEqual(limit(operation), .seconds(5))
    }

    // O8: only the current limit counts, not a replaced one.
    func testLimitReplacedWhileExecutingNoLongerCounts() async {
        let operation = held(limit: .seconds(5))
        operation.start()
        await clock.waitForSleepers()
        operation.maximumRuntime = .seconds(20)
        XCTAssertEqual(operation.maximumRuntime, .seconds(20))
        await clock.waitForDeadline(.init(elapsed: .seconds(20)))
        clock.advance(by: .seconds(10))
        XCTAssertFalse(operation.isCancelled)
        clock.advance(by: .seconds(10))
        await operation.told.waitUntilOpen()
        operation.finish()
        await bounded { await operation.waitForFinish() }
        XCTAssertEqual(limit(operation), .seconds(20))
    }

    // O8
    func testLimitTakenBackNoLongerCounts() async {
        let operation = held(limit: .seconds(5))
        operation.start()
        await clock.waitForSleepers()
        operation.maximumRuntime = nil
        XCTAssertNil(clock.nextDeadline)
        clock.advance(by: .seconds(10))
        operation.finish()
        XCTAssertEqual(operation.outcome?.text, "succeeded")
    }

    // O8: the timeout decides the outcome, even if a limit is set later.
    func testLimitSetAfterTheTimeoutChangesNothing() async {
        let operation = held(limit: .seconds(5))
        operation.start()
        clock.advance(by: .seconds(5))
        await operation.told.waitUntilOpen()
        operation.maximumRuntime = .seconds(50)
        operation.finish()
        operation.maximumRuntime = nil
        await bounded { await operation.waitForFinish() }
        XCTAssertEqual(limit(operation), .seconds(5))
    }

    // O8
    func testCancelledOperationDoesNotTimeOut() async {
        let operation = held(limit: .seconds(5))
        operation.start()
        await clock.waitForSleepers()
        operation.cancel()
        clock.advance(by: .seconds(10))
        operation.finish()
        XCTAssertEqual(operation.outcome?.text, "cancelled")
        XCTAssertEqual(operation.cancels.count, 1)
    }

    // O8, O4
    func testOperationThatNeverEntersMainDoesNotTimeOut() {
        let (cancelled, finished) = (held(limit: .zero), held(limit: .zero))
        cancelled.cancel()
        finished.finish()
        cancelled.start()
        finished.start()
        XCTAssertNil(clock.nextDeadline)
        XCTAssertEqual(cancelled.outcome?.text, "cancelled")
        XCTAssertEqual(finished.outcome?.text, "succeeded")
    }

    // O8: a result operation that timed out has no value.
    func testTimedOutResultThrowsTheTimeout() async {
        let operation = ScriptedResult { $0.finish(returning: 7) }
        operation.clock = clock
        operation.maximumRuntime = .seconds(1)
        operation.start()
        clock.advance(by: .seconds(1))
        await expectThrow(OperationTimeoutError.self) { try await operation.value }
    }

    // O8: if a timeout, a finish and a cancellation race, one of them decides and ends the
    // operation.
    func testTimeoutThatRacesAFinishAndACancel() async {
        await forEachSeed(1...1200) { random in
            let operation = HeldOperation(stopsWhenCancelled: random.chance(70))
            let clock = ManualClock()
            operation.clock = clock
            operation.maximumRuntime = .seconds(1)
            let isCancelled = random.chance(50)
            operation.start()
            if random.chance(80) { await clock.waitForSleepers() }
            await runOnThreads(3) { number in
                switch number {
                case 0: clock.advance(by: .seconds(1))
                case 1: operation.finish()
                default: if isCancelled { operation.cancel() }
                }
            }
            await bounded { await operation.waitForFinish() }
            XCTAssertNil(clock.nextDeadline)
            XCTAssertLessThanOrEqual(operation.cancels.count, 1)
            switch operation.outcome {
            // A cancellation after the decision only sets `isCancelled` (O12).
            case .succeeded: XCTAssertTrue(isCancelled || !operation.isCancelled)
            case .cancelled: XCTAssertTrue(operation.isCancelled && isCancelled)
            case .failed(let error):
                XCTAssertTrue(error is OperationTimeoutError && operation.isCancelled)
            case nil: XCTFail("finished without an outcome")
            }
        }
    }
}

// Operation forces @unchecked. The closure is a constant.
/// Finishes itself in `didCancel()`.
private final class ScriptedResult: ResultOperation<Int>, @unchecked Sendable {
    private let onCancel: @Sendable (ScriptedResult) -> Void

    init(onCancel: @escaping @Sendable (ScriptedResult) -> Void) { self.onCancel = onCancel }

    override func main() {}

    override func didCancel() { onCancel(self) }
}
