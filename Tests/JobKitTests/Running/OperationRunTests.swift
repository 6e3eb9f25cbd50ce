import Foundation
import JobKit
import JobKitTesting
import XCTest

/// Tests `run` for operations that are not jobs, and for code that does not return.
final class OperationRunTests: XCTestCase {
    private let clock = ManualClock()

    // Operation forces @unchecked. The gates are constants.
    /// An operation that never returns from its `didCancel()`.
    private final class Stuck: ConcurrentOperation, @unchecked Sendable {
        let began = Gate()
        let told = Gate()
        private let forever = Gate()

        override func main() { began.open() }

        override func didCancel() {
            told.open()
            forever.wait()
        }
    }

    func testRunReturnsTheValueOfAnyTaskThatHasOne() async throws {
        let queue = TaskQueue(name: "mine", maxConcurrentOperationCount: 1)
        let closure = try await ClosureOperation { 1 }.run(on: queue)
        let retry = try await RetryOperation(.exponential(attempts: 1, initialDelay: .zero)) { _ in
            AsyncOperation { 2 }
        }
        .run(timeout: .seconds(3_600))
        let event = EventOperation<Int>()
        event.finish(returning: 3)
        async let later = event.run(on: OperationQueue())
        let values = try await [closure, retry, later]
        XCTAssertEqual(values, [1, 2, 3])
    }

    func testRunThrowsTheErrorOfTheOperation() async {
        await expectThrow(SampleError.self) {
            try await InstantOperation("a", failure: SampleError()).run()
        }
        await expectThrow(MissingResultError.self) { try await ResultOperation<Int>().run() }
        let cancelled = EventOperation<Int>()
        cancelled.cancel()
        await expectThrow(CancellationError.self) { try await cancelled.run() }
    }

    func testTimeoutExplainsAnOperationByItsLine() async throws {
        let held = HeldOperation("held")
        held.clock = clock
        let caller = Task { try await held.run(timeout: .seconds(30)) }
        await wait(for: held.began)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(30))
        do {
            try await caller.value
            XCTFail("no error")
        } catch let error as JobTimeoutError {
            let expected = JobTimeoutError(
                name: "held",
                limit: .seconds(30),
                explanation: "held: executing"
            )
            XCTAssertEqual(error, expected)
        }
    }

    func testStopLimitFreesTheCallerOfAnOperation() async throws {
        let held = HeldOperation("held", stopsWhenCancelled: false)
        let caller = Task { try await held.run(stopWithin: .milliseconds(1)) }
        await wait(for: held.began)
        caller.cancel()
        do {
            try await caller.value
            XCTFail("no error")
        } catch let error as JobStopTimeoutError {
            XCTAssertEqual(error.name, "held")
            XCTAssertTrue(error.explanation.hasPrefix("held: "), error.explanation)
        }
        await wait(for: held.told)
        held.finish()
        await bounded { await held.waitForFinish() }
    }

    func testCallerCancelledBeforeTheRunSkipsMain() async {
        let (held, go) = (HeldOperation("held"), Gate())
        let caller = Task {
            await go.waitUntilOpen()
            try await held.run()
        }
        caller.cancel()
        go.open()
        await expectThrow(CancellationError.self) { try await caller.value }
        XCTAssertEqual(held.mains.count, 0)
    }

    func testRunOfACancelledCallerReturnsAfterTheFinish() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        queue.isSuspended = true
        for _ in 0..<200 {
            let operations = [ConcurrentOperation(), ScriptedJob { _ in }]
            for operation in operations {
                let go = Gate()
                let caller = Task {
                    await go.waitUntilOpen()
                    try await operation.run(on: queue)
                }
                caller.cancel()
                go.open()
                await expectThrow(CancellationError.self) { try await caller.value }
                XCTAssertTrue(operation.isFinished)
            }
        }
    }

    // O11: `run` and the cancellation of the Swift task return even if a `didCancel()` does not.
    func testRunReturnsAlthoughDidCancelDoesNot() async throws {
        let stuck = Stuck()
        stuck.clock = clock
        stuck.maximumStopTime = .seconds(1)
        let operations: [ConcurrentOperation] = [stuck]
        let caller = Task { try await operations[0].run() }
        await wait(for: stuck.began)
        caller.cancel()
        await wait(for: stuck.told)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        await expectThrow(CancellationError.self) { try await caller.value }
        XCTAssertTrue(stuck.isAbandoned)
    }

    func testRunOfAJobReturnsAlthoughTheDidCancelOfATaskDoesNot() async throws {
        let stuck = Stuck()
        stuck.clock = clock
        stuck.maximumStopTime = .seconds(1)
        let job = ScriptedJob { $0.trackAndQueue(stuck) }
        let caller = Task { try await job.run() }
        await wait(for: stuck.began)
        caller.cancel()
        await wait(for: stuck.told)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        await expectThrow(CancellationError.self) { try await caller.value }
        XCTAssertTrue(job.isFinished)
        XCTAssertEqual(job.events, ["cancelled"])
    }
}
