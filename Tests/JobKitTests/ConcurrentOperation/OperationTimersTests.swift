import JobKitTesting
import XCTest

@testable import JobKit

final class OperationTimersTests: XCTestCase {
    private let clock = ManualClock()
    private let log = EventLog()

    private func timers() -> OperationTimers {
        let timers = OperationTimers()
        timers.clock = clock
        return timers
    }

    // O8: the deadline is computed when `sleep` is called, not when its Swift task happens to run.
    func testDeadlineIsTakenBeforeTheCallReturns() async {
        let timers = timers()
        timers.sleep(for: .seconds(1)) { [log] in log.record("due") }
        clock.advance(by: .seconds(1))
        await bounded { [log] in await log.waitForEvent("due") }
    }

    func testBodiesAreCalledInTheOrderOfTheirDeadlines() async {
        let timers = timers()
        for second in [3, 1, 2] {
            timers.sleep(for: .seconds(second)) { [log] in log.record("\(second)") }
        }
        await clock.waitForSleepers(3)
        for second in 1...3 {
            clock.advance(by: .seconds(1))
            await bounded { [log] in await log.waitForEvent("\(second)") }
        }
        XCTAssertEqual(log.events, ["1", "2", "3"])
    }

    // O8: measured from the start, even if the limit is set later.
    func testLimitIsMeasuredFromTheStart() async {
        let timers = timers()
        timers[.runtime] = .seconds(5)
        timers.watch(
            .runtime,
            ago: 3,
            ClosureTimerTarget { [log] _ in log.record("timed out") }
        )
        await clock.waitForSleepers()
        XCTAssertEqual(clock.nextDeadline, clock.now.advanced(by: .seconds(2)))
        timers[.runtime] = .seconds(2)
        timers.watch(.runtime, ClosureTimerTarget { [log] _ in log.record("sooner") })
        await bounded { [log] in await log.waitForEvent("sooner") }
        XCTAssertEqual(log.events, ["sooner"])
    }

    func testCoarseTimeNeverCountsTooManySeconds() {
        let start = CoarseTime(rawValue: .max - 3)
        for (eighths, seconds) in [(0, 0), (1, 0), (8, 0), (9, 1), (16, 1), (17, 2)] {
            let later = CoarseTime(rawValue: start.rawValue &+ UInt32(eighths))
            XCTAssertEqual(start.wholeSeconds(to: later), seconds, "\(eighths)")
        }
    }

    func testNegativeDelayIsDueAtOnce() async {
        timers().sleep(for: .seconds(-1)) { [log] in log.record("due") }
        await bounded { [log] in await log.waitForEvent("due") }
    }

    func testCancelledSleeperReleasesItsBodyUncalled() async {
        let timers = timers()
        let released = expectation(description: "the body is released")
        let token = ReleaseToken { released.fulfill() }
        timers.sleep(for: .seconds(1)) { [log, token] in
            withExtendedLifetime(token) { log.record("due") }
        }
        await clock.waitForSleepers()
        timers.cancelAll()
        clock.advance(by: .seconds(2))
        XCTAssertNil(clock.nextDeadline)
        timers.sleep(for: .zero) { [log] in log.record("too late") }
        _ = consume token
        await fulfillment(of: [released], timeout: 300)
        XCTAssertEqual(log.events, [])
    }

    func testCancelThatRacesTheDeadlineCallsAtMostOnce() async {
        await forEachSeed(1...500) { _ in
            let (timers, clock, calls) = (OperationTimers(), ManualClock(), Tally())
            timers.clock = clock
            let isCancelled = Tally()
            timers.sleep(for: .seconds(1)) { calls.add() }
            await runOnThreads(2) { number in
                if number == 0 {
                    clock.advance(by: .seconds(1))
                } else {
                    timers.cancelAll()
                    isCancelled.add()
                }
            }
            XCTAssertLessThanOrEqual(calls.count, 1)
        }
    }
}
