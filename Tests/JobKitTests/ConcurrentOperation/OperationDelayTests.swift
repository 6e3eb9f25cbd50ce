import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// O8: `perform(after:)`, timed by a manual clock.
final class OperationDelayTests: XCTestCase {
    private let clock = ManualClock()
    private let log = EventLog()

    private func held() -> HeldOperation {
        let operation = HeldOperation(stopsWhenCancelled: false)
        operation.clock = clock
        return operation
    }

    func testBodyIsCalledWhenTheDelayHasPassed() async {
        let operation = held()
        operation.start()
        operation.perform(after: .seconds(2)) { [log] in log.record("second") }
        operation.perform(after: .seconds(1)) { [log] in log.record("first") }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        await bounded { [log] in await log.waitForEvent("first") }
        clock.advance(by: .seconds(1))
        await bounded { [log] in await log.waitForEvent("second") }
        operation.finish()
        XCTAssertEqual(log.events, ["first", "second"])
    }

    // O8: the deadline is computed at the call, because the time starts there.
    func testClockThatMovesRightAfterTheCallIsHonoured() async {
        let operation = held()
        operation.start()
        operation.perform(after: .seconds(1)) { [log] in log.record("due") }
        clock.advance(by: .seconds(1))
        await bounded { [log] in await log.waitForEvent("due") }
        operation.finish()
    }

    func testBodyIsDroppedAndReleasedIfTheOperationFinishesFirst() async {
        let operation = held()
        operation.start()
        let released = expectation(description: "the body is released")
        var token: ReleaseToken? = ReleaseToken { released.fulfill() }
        operation.perform(after: .seconds(1)) { [token, log] in
            withExtendedLifetime(token) { log.record("due") }
        }
        token = nil
        XCTAssertNil(token)
        operation.finish()
        await fulfillment(of: [released], timeout: 300)
        XCTAssertNil(clock.nextDeadline)
        clock.advance(by: .seconds(2))
        XCTAssertEqual(log.events, [])
    }

    func testBodyOfAFinishedOperationIsDropped() {
        let operation = held()
        operation.start()
        operation.finish()
        operation.perform(after: .zero) { XCTFail("called after the finish") }
        XCTAssertNil(clock.nextDeadline)
    }

    func testBodyMayFinishTheOperation() async {
        for runner in OperationRunner.allCases {
            let operation = held()
            operation.perform(after: .seconds(1)) { operation.finish(with: SampleError()) }
            runner.run(operation)
            await operation.began.waitUntilOpen()
            clock.advance(by: .seconds(1))
            await bounded { await operation.waitForFinish() }
            XCTAssertNotNil(operation.error as? SampleError)
        }
    }

    // Sleeping timers do not retain the operation, and are released together with it.
    func testNeverStartedOperationReleasesItsTimers() async {
        let released = expectation(description: "the body is released")
        weak var gone: HeldOperation?
        do {
            let operation = held()
            gone = operation
            let token = ReleaseToken { released.fulfill() }
            operation.perform(after: .seconds(1)) { withExtendedLifetime(token) {} }
            await clock.waitForSleepers()
        }
        await eventually { gone == nil }
        await fulfillment(of: [released], timeout: 300)
        XCTAssertNil(clock.nextDeadline)
    }

    func testDefaultClockIsContinuous() async {
        let operation = HeldOperation(stopsWhenCancelled: false)
        XCTAssertTrue(operation.clock is ContinuousClock)
        operation.start()
        operation.perform(after: .milliseconds(1)) { [log] in log.record("due") }
        await bounded { [log] in await log.waitForEvent("due") }
        operation.finish()
    }

    func testDelaysThatRaceTheFinishAreCalledAtMostOnce() async {
        await forEachSeed(1...800) { random in
            let (operation, clock, calls) = (
                HeldOperation(stopsWhenCancelled: false), ManualClock(), Tally()
            )
            operation.clock = clock
            operation.start()
            let count = Int.random(in: 1...4, using: &random)
            await runOnThreads(3) { number in
                switch number {
                case 0: for _ in 0..<count { operation.perform(after: .seconds(1)) { calls.add() } }
                case 1: clock.advance(by: .seconds(1))
                default: operation.finish()
                }
            }
            XCTAssertNil(clock.nextDeadline)
            XCTAssertLessThanOrEqual(calls.count, count)
        }
    }
}
