import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

final class AsyncOperationTests: XCTestCase {
    func testValueOfTheBody() async throws {
        for runner in OperationRunner.allCases {
            let operation = AsyncOperation(name: "answer") { 42 }
            XCTAssertEqual(operation.name, "answer")
            runner.run(operation)
            let value = try await operation.value
            XCTAssertEqual(value, 42)
            await bounded { await operation.waitForFinish() }
        }
    }

    func testItsTaskHasItsName() async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            throw XCTSkip("a task does not know its name here")
        }
        for name in ["answer", nil] {
            let operation = AsyncOperation(name: name) { Task.name }
            operation.start()
            let seen = try await operation.value
            XCTAssertEqual(seen, name)
        }
    }

    func testErrorOfTheBody() async {
        let operation = AsyncOperation<Int> { throw SampleError(number: 3) }
        operation.start()
        await expectThrow(SampleError.self) { try await operation.value }
        XCTAssertEqual(operation.error as? SampleError, SampleError(number: 3))
    }

    func testVoidBody() async throws {
        let operation = AsyncOperation { await Task.yield() }
        operation.start()
        try await operation.value
        XCTAssertEqual(operation.outcome?.text, "succeeded")
    }

    // O5: cancellation cancels the Swift task, but the operation executes until the body returns.
    func testCancelCancelsTheTaskAndWaitsForTheBody() async {
        let (began, release) = (Gate(), Gate())
        let operation = AsyncOperation {
            began.open()
            await release.waitUntilOpen()
            return Task.isCancelled
        }
        operation.start()
        await began.waitUntilOpen()
        operation.cancel()
        XCTAssertTrue(operation.isExecuting)
        release.open()
        await bounded { await operation.waitForFinish() }
        XCTAssertEqual(operation.outcome?.text, "cancelled")
        await expectThrow(CancellationError.self) { try await operation.value }
    }

    // O5: the body begins before the call that creates its Swift task has returned.
    func testCancelReachesABodyThatDoesNotSuspend() async {
        let began = Gate()
        let operation = AsyncOperation {
            began.open()
            while !Task.isCancelled { giveWay(forMicroseconds: 10) }
        }
        TaskQueue().addOperation(operation)
        await began.waitUntilOpen()
        operation.cancel()
        await bounded { await operation.waitForFinish() }
        XCTAssertEqual(operation.outcome?.text, "cancelled")
    }

    // O11: the body blocks the thread of the queue that started it.
    func testBodyThatBlocksItsThreadIsAbandoned() async {
        let (began, release) = (Gate(), Gate())
        let block: @Sendable () -> Void = { release.wait() }
        let operation = AsyncOperation {
            began.open()
            block()
        }
        let clock = ManualClock()
        operation.clock = clock
        operation.maximumStopTime = .seconds(1)
        let next = AsyncOperation {}
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        queue.addOperations([operation, next])
        await began.waitUntilOpen()
        operation.cancel()
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        await bounded { await next.waitForFinish() }
        XCTAssertTrue(operation.isAbandoned)
        release.open()
    }

    func testStartReturnsWhileTheBodyBlocksItsThread() async {
        let release = Gate()
        let block: @Sendable () -> Void = { release.wait() }
        let operation = AsyncOperation { block() }
        operation.start()
        release.open()
        await bounded { await operation.waitForFinish() }
        XCTAssertEqual(operation.outcome?.text, "succeeded")
    }

    // O4
    func testBodyOfACancelledOperationNeverRuns() async {
        for runner in OperationRunner.allCases {
            let operation = AsyncOperation { XCTFail("the body ran") }
            operation.cancel()
            runner.run(operation)
            await waitForFinish(ofCancelled: operation)
            XCTAssertEqual(operation.outcome?.text, "cancelled")
        }
    }

    // O8: a timeout cancels the Swift task.
    func testTimeoutCancelsTheSwiftTask() async {
        let clock = ManualClock()
        let operation = AsyncOperation { try await clock.sleep(for: .seconds(100)) }
        operation.clock = clock
        operation.maximumRuntime = .seconds(1)
        operation.start()
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        await expectThrow(OperationTimeoutError.self) { try await operation.value }
    }

    // The body is released when it has ended, even if it never ran.
    func testBodyIsReleasedWhenTheOperationHasFinished() async {
        for isCancelled in [false, true] {
            let released = expectation(description: "the body is released")
            let operation = Self.operation(holding: ReleaseToken { released.fulfill() })
            if isCancelled { operation.cancel() }
            operation.start()
            await fulfillment(of: [released], timeout: 300)
            await bounded { await operation.waitForFinish() }
        }
    }

    func testNeverStartedOperationReleasesItsBody() async {
        let released = expectation(description: "the body is released")
        _ = Self.operation(holding: ReleaseToken { released.fulfill() })
        await fulfillment(of: [released], timeout: 300)
    }

    // The body may retain the operation, because the cycle ends with the body.
    func testOperationHeldByItsBodyIsReleased() async {
        weak var released: ConcurrentOperation?
        do {
            let holder = OperationHolder()
            let operation = AsyncOperation {
                holder.operation.withLock { $0 }?.isExecuting ?? false
            }
            holder.operation.withLock { $0 = operation }
            released = operation
            operation.start()
            await bounded { await operation.waitForFinish() }
            holder.operation.withLock { $0 = nil }
        }
        await eventually { released == nil }
    }

    func testStartThatRacesACancelEndsAndCancelsTheTask() async {
        await forEachSeed(1...1000) { random in
            let (clock, turns) = (ManualClock(), Int.random(in: 0..<200, using: &random))
            let operation = AsyncOperation { try await clock.sleep(for: .seconds(1)) }
            await runOnThreads(2) { number in
                if number == 0 { return operation.start() }
                for _ in 0..<turns { _ = operation.isExecuting }
                operation.cancel()
            }
            await bounded { await operation.waitForFinish() }
            XCTAssertEqual(operation.outcome?.text, "cancelled")
        }
    }

    private static func operation(holding token: ReleaseToken) -> AsyncOperation<Void> {
        AsyncOperation { withExtendedLifetime(token) {} }
    }
}

private final class OperationHolder: Sendable {
    let operation = Guarded<ConcurrentOperation?>(nil)
}
