import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// O11: `maximumStopTime`, timed by a manual clock.
final class AbandonedOperationTests: XCTestCase {
    private let clock = ManualClock()

    private func instant(_ seconds: Int) -> ManualClock.Instant {
        ManualClock.Instant(elapsed: .seconds(seconds))
    }

    /// Gives an operation the test's clock and five seconds to stop.
    private func limited<Limited: ConcurrentOperation>(_ operation: Limited) -> Limited {
        operation.clock = clock
        operation.maximumStopTime = .seconds(5)
        return operation
    }

    private func deaf(_ name: String? = nil) -> HeldOperation {
        limited(HeldOperation(name, stopsWhenCancelled: false))
    }

    func testCancelledOperationThatDoesNotStopFinishesCancelled() async {
        for runner in OperationRunner.allCases {
            let clock = ManualClock()
            let operation = HeldOperation(stopsWhenCancelled: false)
            operation.clock = clock
            operation.maximumStopTime = .seconds(5)
            let completed = expectation(description: "completion block")
            operation.completionBlock = { completed.fulfill() }
            let dependent = HeldOperation()
            dependent.addDependency(operation)
            TaskQueue().addOperation(dependent)
            runner.run(operation)
            await operation.began.waitUntilOpen()
            clock.advance(by: .seconds(60))
            XCTAssertNil(clock.nextDeadline)
            operation.cancel()
            XCTAssertTrue(operation.isExecuting)
            await clock.waitForDeadline(instant(65))
            XCTAssertFalse(operation.isAbandoned)
            clock.advance(by: .seconds(5))
            await bounded { await operation.waitForFinish() }
            XCTAssertTrue(operation.isAbandoned)
            XCTAssertEqual(operation.outcome?.text, "cancelled")
            XCTAssertFalse(operation.isExecuting)
            await dependent.began.waitUntilOpen()
            await fulfillment(of: [completed], timeout: 300)
            operation.finish(with: SampleError())
            operation.cancel()
            XCTAssertEqual(operation.outcome?.text, "cancelled")
            XCTAssertEqual(operation.cancels.count, 1)
            dependent.finish()
        }
    }

    // O8: the stop time starts at the timeout, and the outcome does not change.
    func testTimedOutOperationThatDoesNotStopIsAbandoned() async {
        let operation = deaf()
        operation.maximumRuntime = .seconds(3)
        operation.start()
        await clock.waitForDeadline(instant(3))
        clock.advance(by: .seconds(3))
        await operation.told.waitUntilOpen()
        operation.cancel()
        await clock.waitForDeadline(instant(8))
        clock.advance(by: .seconds(4))
        XCTAssertTrue(operation.isExecuting)
        clock.advance(by: .seconds(1))
        await bounded { await operation.waitForFinish() }
        XCTAssertEqual((operation.error as? OperationTimeoutError)?.limit, .seconds(3))
        XCTAssertTrue(operation.isAbandoned)
    }

    func testOperationThatStopsInTimeIsNotAbandoned() async {
        let operation = deaf()
        operation.start()
        operation.cancel()
        await clock.waitForDeadline(instant(5))
        operation.finish()
        XCTAssertNil(clock.nextDeadline)
        XCTAssertFalse(operation.isAbandoned)
        XCTAssertEqual(operation.outcome?.text, "cancelled")
    }

    func testOperationNotAskedToStopHasNoLimit() async {
        let operation = deaf()
        operation.start()
        operation.perform(after: .seconds(60)) { operation.finish() }
        await clock.waitForSleepers()
        XCTAssertEqual(clock.nextDeadline, instant(60))
        clock.advance(by: .seconds(60))
        await bounded { await operation.waitForFinish() }
        XCTAssertEqual(operation.outcome?.text, "succeeded")
        XCTAssertFalse(operation.isAbandoned)
    }

    func testOperationCancelledBeforeItsStartIsNotAbandoned() async {
        let operation = deaf()
        operation.cancel()
        XCTAssertNil(clock.nextDeadline)
        operation.start()
        XCTAssertTrue(operation.isFinished)
        XCTAssertFalse(operation.isAbandoned)
        XCTAssertNil(clock.nextDeadline)
    }

    func testTimeThatIsSetLaterCountsFromTheStopRequest() async {
        let operation = HeldOperation(stopsWhenCancelled: false)
        operation.clock = clock
        operation.start()
        operation.cancel()
        clock.advance(by: .seconds(3))
        XCTAssertNil(operation.maximumStopTime)
        operation.maximumStopTime = .seconds(60)
        await clock.waitForDeadline(instant(60))
        operation.maximumStopTime = nil
        XCTAssertNil(clock.nextDeadline)
        operation.maximumStopTime = .seconds(3)
        XCTAssertEqual(operation.maximumStopTime, .seconds(3))
        await bounded { await operation.waitForFinish() }
        XCTAssertTrue(operation.isAbandoned)
    }

    func testTimeThatIsSetLaterWithoutAClockCountsToo() async {
        let operation = HeldOperation(stopsWhenCancelled: false)
        operation.start()
        operation.cancel()
        operation.maximumStopTime = .zero
        await bounded { await operation.waitForFinish() }
        XCTAssertTrue(operation.isAbandoned)
    }

    func testEveryDurationIsLegal() async {
        let far: [Duration] = [.seconds(Int64.max), .seconds(1) * Double(1 << 60)]
        for time in far {
            let operation = HeldOperation(stopsWhenCancelled: false)
            operation.maximumStopTime = time
            operation.start()
            operation.cancel()
            XCTAssertTrue(operation.isExecuting)
            operation.finish()
        }
        for time in [Duration.zero, .seconds(-1), .seconds(Int64.min)] {
            let operation = HeldOperation(stopsWhenCancelled: false)
            operation.maximumStopTime = time
            operation.start()
            operation.cancel()
            await bounded { await operation.waitForFinish() }
            XCTAssertTrue(operation.isAbandoned)
        }
    }

    // O5, O11: the only case in which an operation finishes while `didCancel()` runs.
    func testDidCancelThatNeverReturnsHoldsNothingBack() async {
        let (told, release) = (Gate(), Gate())
        let operation = limited(
            ScriptedOperation { _ in
                told.open()
                release.wait()
            } onMain: { _ in
            }
        )
        operation.start()
        let returned = Gate()
        Thread.detachNewThread {
            operation.cancel()
            returned.open()
        }
        await told.waitUntilOpen()
        operation.finish()
        XCTAssertTrue(operation.isExecuting)
        await clock.waitForDeadline(instant(5))
        clock.advance(by: .seconds(5))
        await bounded { await operation.waitForFinish() }
        XCTAssertEqual(operation.outcome?.text, "cancelled")
        XCTAssertTrue(operation.isAbandoned)
        release.open()
        await returned.waitUntilOpen()
    }

    // O8: `didCancel()` after a timeout must not block a thread that other sleeps need.
    func testDidCancelsThatNeverReturnAfterATimeoutAreAbandoned() async {
        let release = Gate()
        let operations = (0..<16)
            .map { _ in
                limited(ScriptedOperation(onCancel: { _ in release.wait() }, onMain: { _ in }))
            }
        for operation in operations {
            operation.maximumRuntime = .seconds(1)
            operation.start()
        }
        await clock.waitForSleepers(operations.count)
        clock.advance(by: .seconds(1))
        await clock.waitForSleepers(operations.count)
        clock.advance(by: .seconds(5))
        for operation in operations {
            await operation.waitForFinish()
            XCTAssertTrue(operation.isAbandoned)
            XCTAssertTrue(operation.error is OperationTimeoutError)
        }
        release.open()
    }

    func testLateValueOfEveryKindIsIgnored() async throws {
        let (release, began) = (Gate(), (0..<3).map { _ in Gate() })
        let asynchronous = limited(
            AsyncOperation {
                began[0].open()
                await release.waitUntilOpen()
                return 1
            }
        )
        let closure = limited(
            ClosureOperation {
                began[1].open()
                release.wait()
                return 1
            }
        )
        let kept = Guarded<(@Sendable (Result<Int, any Error>) -> Void)?>(nil)
        let callback = limited(
            CallbackOperation<Int> { done in
                kept.withLock { $0 = done }
                began[2].open()
            }
        )
        let operations: [ResultOperation<Int>] = [asynchronous, closure, callback]
        for operation in operations { TaskQueue().addOperation(operation) }
        for gate in began { await gate.waitUntilOpen() }
        for operation in operations { operation.cancel() }
        await clock.waitForSleepers(3)
        clock.advance(by: .seconds(5))
        for operation in [asynchronous, closure, callback] {
            await bounded { await operation.waitForFinish() }
        }
        release.open()
        kept.withLock { $0 }?(.success(1))
        for operation in operations {
            XCTAssertEqual(operation.outcome?.text, "cancelled")
            await expectThrow(CancellationError.self) { try await operation.value }
        }
    }

    // Q1: the permit is free although the thread is not.
    func testBlockedAbandonedOperationReleasesItsPermit() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let (began, release) = (Gate(), Gate())
        let blocked = limited(
            ScriptedOperation(onCancel: { _ in }) { _ in
                began.open()
                release.wait()
            }
        )
        let next = HeldOperation("next")
        queue.addOperations([blocked, next])
        await began.waitUntilOpen()
        blocked.cancel()
        await clock.waitForDeadline(instant(5))
        clock.advance(by: .seconds(5))
        await next.began.waitUntilOpen()
        XCTAssertTrue(blocked.isAbandoned)
        next.finish()
        await drain(queue)
        release.open()
    }

    func testFinishesAndCancellationsRaceWithAbandoning() async {
        for seed in 1...400 {
            let operation = HeldOperation(stopsWhenCancelled: seed.isMultiple(of: 5))
            let ends = Tally()
            operation.maximumStopTime = .microseconds(seed % 7 * 20)
            operation.completionBlock = { ends.add() }
            operation.start()
            await runOnThreads(3) { number in
                switch (number + seed) % 3 {
                case 0: operation.cancel()
                case 1: if !seed.isMultiple(of: 4) { operation.finish() }
                default: operation.maximumStopTime = .zero
                }
            }
            operation.cancel()
            await bounded { await operation.waitForFinish() }
            await eventually { ends.count == 1 }
            XCTAssertLessThanOrEqual(operation.cancels.count, 1)
            if operation.isAbandoned { XCTAssertEqual(operation.outcome?.text, "cancelled") }
        }
    }
}
