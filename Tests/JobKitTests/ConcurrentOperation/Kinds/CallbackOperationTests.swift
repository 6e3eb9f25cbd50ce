import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

final class CallbackOperationTests: XCTestCase {
    typealias Done = @Sendable (Result<Int, any Error>) -> Void

    func testValueComesFromAnyThread() async throws {
        for runner in OperationRunner.allCases {
            let operation = CallbackOperation<Int>(name: "fetch") { done in
                DispatchQueue.global().async { done(.success(7)) }
            }
            runner.run(operation)
            let value = try await operation.value
            XCTAssertEqual(value, 7)
            XCTAssertEqual(operation.name, "fetch")
        }
    }

    func testErrorIsTheOperations() async {
        let operation = CallbackOperation<Int> { $0(.failure(SampleError(number: 2))) }
        operation.start()
        XCTAssertEqual(operation.error as? SampleError, SampleError(number: 2))
        await expectThrow(SampleError.self) { try await operation.value }
    }

    func testFirstCallCountsAndLaterOnesAreIgnored() {
        let operation = CallbackOperation<Int> { done in
            done(.success(1))
            done(.failure(SampleError()))
            done(.success(2))
        }
        operation.start()
        XCTAssertEqual(try operation.result?.get(), 1)
    }

    func testLostCallbackFailsTheOperationByName() async throws {
        for runner in OperationRunner.allCases {
            let operation = CallbackOperation<Int>(name: "ask") { _ in }
            runner.run(operation)
            await bounded { await operation.waitForFinish() }
            XCTAssertEqual((operation.error as? CallbackLostError)?.name, "ask")
        }
        let unnamed = CallbackOperation<Int> { _ in }
        unnamed.start()
        XCTAssertEqual((unnamed.error as? CallbackLostError)?.name, "CallbackOperation<Int>")
        XCTAssertEqual(
            unnamed.error.map { "\($0)" },
            "CallbackOperation<Int> released `done` without calling it."
        )
    }

    func testCallbackThatIsLostLaterFailsTheOperationAtOnce() {
        let kept = Guarded<Done?>(nil)
        let operation = CallbackOperation<Int>(name: "ask") { done in
            kept.withLock { $0 = done }
        }
        operation.start()
        XCTAssertTrue(operation.isExecuting)
        var released = kept.withLock { $0.take() }
        XCTAssertTrue(operation.isExecuting)
        released = nil
        XCTAssertNil(released)
        XCTAssertEqual((operation.error as? CallbackLostError)?.name, "ask")
    }

    func testLostCallbackOfACancelledOperationEndsItCancelled() {
        let kept = Guarded<Done?>(nil)
        let operation = CallbackOperation<Int> { done in kept.withLock { $0 = done } }
        operation.start()
        operation.cancel()
        XCTAssertTrue(operation.isExecuting)
        kept.withLock { $0 = nil }
        XCTAssertEqual(operation.outcome?.text, "cancelled")
        XCTAssertNil(operation.error)
    }

    func testCallbackThatIsCalledAndThenReleasedIsNotLost() async {
        await forEachSeed(1...300) { _ in
            let kept = Guarded<Done?>(nil)
            let operation = CallbackOperation<Int> { done in kept.withLock { $0 = done } }
            operation.start()
            // The last of the two threads to release it detects that it was called.
            await runOnThreads(2) { number in
                let done = kept.withLock { done in
                    defer { if number == 1 { done = nil } }
                    return done
                }
                done?(.success(number))
            }
            kept.withLock { $0 = nil }
            XCTAssertNotNil(try? operation.result?.get())
        }
    }

    // Q7
    func testLostCallbackOfAnAsynchronousClosureFailsItsOperation() async throws {
        let queue = TaskQueue()
        queue.isSuspended = true
        queue.addAsynchronousOperation { _ in }
        let operation = try XCTUnwrap(queue.operations.first as? ConcurrentOperation)
        queue.isSuspended = false
        await bounded { await operation.waitForFinish() }
        XCTAssertTrue(operation.error is CallbackLostError)
    }

    func testOneOfManyThreadsCounts() async {
        await forEachSeed(1...300) { _ in
            let kept = Guarded<Done?>(nil)
            let operation = CallbackOperation<Int> { done in kept.withLock { $0 = done } }
            operation.start()
            let done = kept.withLock { $0.take() }
            await runOnThreads(4) { done?(.success($0)) }
            XCTAssertNotNil(try? operation.result?.get())
        }
    }

    // O5: only the work itself can detect that it has stopped.
    func testCancelledOperationFinishesWhenItIsCalledBack() async {
        let kept = Guarded<Done?>(nil)
        let operation = CallbackOperation<Int> { done in kept.withLock { $0 = done } }
        operation.start()
        operation.cancel()
        XCTAssertTrue(operation.isExecuting)
        let done = kept.withLock { $0.take() }
        done?(.success(1))
        XCTAssertEqual(operation.outcome?.text, "cancelled")
        await expectThrow(CancellationError.self) { try await operation.value }
    }

    // O8
    func testTimedOutOperationFailsDespiteItsLateCallback() async {
        let clock = ManualClock()
        let kept = Guarded<Done?>(nil)
        let operation = CallbackOperation<Int> { done in kept.withLock { $0 = done } }
        operation.clock = clock
        operation.maximumRuntime = .seconds(1)
        operation.start()
        clock.advance(by: .seconds(1))
        await eventually { operation.isCancelled }
        XCTAssertFalse(operation.isFinished)
        let done = kept.withLock { $0.take() }
        done?(.success(1))
        // The end waits for `didCancel()`, which may still run on the thread of the clock.
        await eventually { operation.isFinished }
        XCTAssertTrue(operation.error is OperationTimeoutError)
    }

    func testWorkRetainsTheOperationUntilItCallsBack() {
        weak var working: CallbackOperation<Int>?
        let kept = Guarded<Done?>(nil)
        let released = Gate()
        do {
            let token = ReleaseToken { released.open() }
            let operation = CallbackOperation<Int> { done in
                withExtendedLifetime(token) { kept.withLock { $0 = done } }
            }
            working = operation
            operation.start()
        }
        XCTAssertNotNil(working)
        XCTAssertTrue(released.isOpen, "the closure")
        var done = kept.withLock { $0.take() }
        done?(.success(1))
        done = nil
        XCTAssertNil(working)
    }

    // O4
    func testCancelledBeforeItsStartNeverRuns() {
        let operation = CallbackOperation<Int> { _ in XCTFail("run") }
        operation.cancel()
        operation.start()
        XCTAssertEqual(operation.outcome?.text, "cancelled")
    }
}
