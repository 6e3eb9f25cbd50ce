import JobKitTesting
import Testing
import XCTest

@testable import JobKit

@Suite struct OperationTimersTests {
    private func moment(_ nanoseconds: Int64) -> TimerStart { .system(.continuous, nanoseconds) }

    private func nanoseconds(_ start: TimerStart) -> Int64? {
        if case .system(_, let nanoseconds) = start { nanoseconds } else { nil }
    }

    private func isDelay(_ event: OperationTimers.Event?) -> Bool {
        if case .delay = event { true } else { false }
    }

    private func isRuntime(_ event: OperationTimers.Event?) -> Bool {
        if case .limit(.runtime) = event { true } else { false }
    }

    // O8: measured from the start, even if the limit is set later.
    @Test func limitIsMeasuredFromItsFirstBeginning() {
        var timers = OperationTimers()
        let first = timers.waitBegins(for: .limit(.runtime), nil, from: moment(100))
        #expect(first.time == nil)
        timers[.runtime] = .seconds(5)
        let second = timers.waitBegins(for: .limit(.runtime), nil, from: moment(900))
        #expect(second.time == .seconds(5))
        #expect(nanoseconds(second.start) == 100)
    }

    @Test func replacedWaitIsReturnedAndNeitherStoredNorPasses() {
        var timers = OperationTimers()
        timers[.runtime] = .seconds(5)
        let first = timers.waitBegins(for: .limit(.runtime), nil, from: moment(0))
        #expect(timers.waitBegan(first.id, .task(Task {})) == true)
        let second = timers.waitBegins(for: .limit(.runtime), nil, from: moment(0))
        #expect(second.previous != nil)
        #expect(timers.waitBegan(first.id, nil) == false)
        let passed = [first.id, second.id, second.id].map { timers.waitPassed($0) }
        #expect(passed.map(isRuntime) == [false, true, false])
    }

    @Test func limitThatIsSetAfterTheTimeoutDoesNotChangeTheOneThatPassed() {
        var timers = OperationTimers()
        timers[.runtime] = .seconds(5)
        for _ in 0..<2 {
            let begun = timers.waitBegins(for: .limit(.runtime), nil, from: moment(0))
            _ = timers.waitPassed(begun.id)
            timers[.runtime] = .seconds(9)
        }
        #expect(timers[.passedRuntime] == .seconds(5))
        #expect(timers[.runtime] == .seconds(9))
    }

    @Test func delayPassesOnceAndLeavesNothing() {
        var timers = OperationTimers()
        let ids = (1...3)
            .map { number in
                timers.waitBegins(for: .delay({}), .seconds(number), from: moment(0)).id
            }
        let passed = [ids[0], ids[0]].map { timers.waitPassed($0) }
        #expect(passed.map(isDelay) == [true, false])
        #expect(timers.end().count == 2)
        #expect(timers.waitPassed(ids[1]) == nil)
        #expect(timers.waitBegan(ids[2], nil) == false)
    }

    @Test func endReturnsEveryWaitAndKeepsTheLimits() {
        var timers = OperationTimers()
        timers[.runtime] = .seconds(5)
        let limit = timers.waitBegins(for: .limit(.runtime), nil, from: moment(0)).id
        let delay = timers.waitBegins(for: .delay({}), .seconds(1), from: moment(0)).id
        for id in [limit, delay] { #expect(timers.waitBegan(id, .task(Task {})) == true) }
        #expect(timers.end().filter { $0.wait != nil }.count == 2)
        #expect(timers[.runtime] == .seconds(5))
    }

    @Test func coarseTimeNeverCountsTooManySeconds() {
        let start = CoarseTime(rawValue: .max - 3)
        for (eighths, seconds) in [(0, 0), (1, 0), (8, 0), (9, 1), (16, 1), (17, 2)] {
            let later = CoarseTime(rawValue: start.rawValue &+ UInt32(eighths))
            #expect(start.wholeSeconds(to: later) == seconds, "\(eighths)")
        }
    }
}

/// O8: limits and delays of live operations.
final class OperationTimersLiveTests: XCTestCase {
    private let clock = ManualClock()
    private let log = EventLog()

    private func timed() -> ConcurrentOperation {
        let operation = ConcurrentOperation()
        operation.clock = clock
        return operation
    }

    func testNegativeDelayIsDueAtOnce() async {
        let operation = timed()
        operation.perform(after: .seconds(-1)) { [log] in log.record("due") }
        await bounded { [log] in await log.waitForEvent("due") }
        withExtendedLifetime(operation) {}
    }

    func testLimitThatBeganEarlierEndsEarlier() async {
        let operation = timed()
        operation.maximumRuntime = .seconds(5)
        operation.startWait(for: .limit(.runtime), ago: 3)
        await clock.waitForSleepers()
        XCTAssertEqual(clock.nextDeadline, clock.now.advanced(by: .seconds(2)))
    }

    func testFinishThatRacesTheDeadlineCallsAtMostOnce() async {
        await forEachSeed(1...500) { _ in
            let (operation, clock, calls) = (ConcurrentOperation(), ManualClock(), Tally())
            operation.clock = clock
            operation.perform(after: .seconds(1)) { calls.add() }
            await runOnThreads(2) { number in
                if number == 0 { clock.advance(by: .seconds(1)) } else { operation.start() }
            }
            XCTAssertLessThanOrEqual(calls.count, 1)
        }
    }
}
