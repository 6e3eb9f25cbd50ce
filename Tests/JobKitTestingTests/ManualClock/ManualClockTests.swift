import JobKitTesting
import XCTest

final class ManualClockTests: XCTestCase {
    func testTimePassesOnlyWhenAdvanced() {
        let clock = ManualClock()
        let start = clock.now
        XCTAssertEqual(clock.now, start)
        clock.advance(by: .milliseconds(1500))
        XCTAssertEqual(start.duration(to: clock.now), .milliseconds(1500))
        XCTAssertEqual(start.advanced(by: .milliseconds(1500)), clock.now)
        XCTAssertLessThan(start, clock.now)
    }

    func testSleeperContinuesAtItsDeadline() async throws {
        let clock = ManualClock()
        let log = EventLog()
        let sleeper = Task {
            try await clock.sleep(for: .seconds(2))
            log.record("woke")
        }
        await clock.waitForSleepers()
        XCTAssertEqual(clock.nextDeadline, clock.now.advanced(by: .seconds(2)))
        clock.advance(by: .seconds(1))
        XCTAssertEqual(clock.nextDeadline, clock.now.advanced(by: .seconds(1)))
        XCTAssertEqual(log.events, [])
        clock.advance(by: .seconds(1))
        XCTAssertNil(clock.nextDeadline)
        try await sleeper.value
        XCTAssertEqual(log.events, ["woke"])
    }

    func testSleepersWakeOneByOneAsTheClockGoesFromDeadlineToDeadline() async throws {
        let clock = ManualClock()
        let log = EventLog()
        let sleepers = [3, 1, 2]
            .map { seconds in
                Task {
                    try await clock.sleep(for: .seconds(seconds))
                    log.record("\(seconds)")
                }
            }
        await clock.waitForSleepers(3)
        for second in 1...3 {
            let deadline = try XCTUnwrap(clock.nextDeadline)
            clock.advance(by: clock.now.duration(to: deadline))
            await log.waitForEvent("\(second)")
        }
        for sleeper in sleepers { try await sleeper.value }
        XCTAssertEqual(log.events, ["1", "2", "3"])
    }

    func testWorksAsAnyClockOfDuration() async throws {
        let clock = ManualClock()
        let erased: any Clock<Duration> = clock
        let sleeper = Task { try await erased.sleep(for: .seconds(60)) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(60))
        try await sleeper.value
    }

    func testCancelledSleepEndsAtOnce() async {
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(60)) }
        await clock.waitForSleepers()
        sleeper.cancel()
        await assertCancelled(sleeper)
        XCTAssertNil(clock.nextDeadline)
        XCTAssertEqual(clock.now, ManualClock().now)
    }

    func testSleepInACancelledTaskEndsAtOnce() async {
        let clock = ManualClock()
        let gate = Gate()
        let sleeper = Task {
            await gate.waitUntilOpen()
            try await clock.sleep(for: .seconds(60))
        }
        let late = Task {
            await gate.waitUntilOpen()
            try await clock.sleep(until: clock.now)
        }
        sleeper.cancel()
        late.cancel()
        gate.open()
        await assertCancelled(sleeper)
        await assertCancelled(late)
        XCTAssertNil(clock.nextDeadline)
    }

    func testCancellationThatRacesWithTheBeginningIsNeverLost() async {
        let clock = ManualClock()
        for _ in 0..<2_000 {
            let sleeper = Task { try await clock.sleep(for: .seconds(60)) }
            await Task.yield()
            sleeper.cancel()
            // A sleep that begins later is never seen, not even for a moment.
            for _ in 0..<20 { XCTAssertNil(clock.nextDeadline) }
            await assertCancelled(sleeper)
        }
        XCTAssertNil(clock.nextDeadline)
    }

    func testCancellationThatRacesWithTheDeadlineEndsTheSleepOnce() async {
        let clock = ManualClock()
        for _ in 0..<1_000 {
            let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
            await clock.waitForSleepers()
            let canceller = Task { sleeper.cancel() }
            clock.advance(by: .seconds(1))
            await canceller.value
            _ = await sleeper.result
        }
        XCTAssertNil(clock.nextDeadline)
    }

    func testWaitForSleepersCountsThoseWhoSleepAlready() async throws {
        let clock = ManualClock()
        let sleepers = (0..<100).map { _ in Task { try await clock.sleep(for: .seconds(1)) } }
        await clock.waitForSleepers(100)
        await clock.waitForSleepers(100)
        clock.advance(by: .seconds(1))
        for sleeper in sleepers { try await sleeper.value }
    }

    func testCancelledTaskStopsWaiting() async {
        let clock = ManualClock()
        let watchers = [
            Task { await clock.waitForSleepers() },
            Task { await clock.waitForDeadline(clock.now.advanced(by: .seconds(1))) },
        ]
        for (number, watcher) in watchers.enumerated() {
            watcher.cancel()
            let ended = expectation(description: "watcher \(number)")
            Task {
                await watcher.value
                ended.fulfill()
            }
            await fulfillment(of: [ended], timeout: 300)
        }
    }

    /// Two timers use one clock, and the wait is for one of them.
    func testWaitForDeadlineIsForOneSleeperAmongOthers() async throws {
        let clock = ManualClock()
        let log = EventLog()
        let began = Gate()
        let limit = Task { try await clock.sleep(for: .seconds(60)) }
        await clock.waitForSleepers()
        let work = Task {
            await began.waitUntilOpen()
            try await clock.sleep(for: .seconds(5))
            log.record("worked")
        }
        let deadline = clock.now.advanced(by: .seconds(5))
        let watcher = Task {
            await clock.waitForDeadline(deadline)
            log.record("asleep")
        }
        began.open()
        await watcher.value
        XCTAssertEqual(clock.nextDeadline, deadline)
        await clock.waitForDeadline(deadline)
        clock.advance(by: .seconds(5))
        try await work.value
        XCTAssertEqual(log.events, ["asleep", "worked"])
        limit.cancel()
        await assertCancelled(limit)
    }

    func testInstantsStopAtTheLongestDurations() {
        let (longest, shortest) = (Duration(attoseconds: .max), Duration(attoseconds: .min))
        let clock = ManualClock()
        clock.advance(by: .seconds(1))
        XCTAssertEqual(clock.now.advanced(by: longest).elapsed, longest)
        XCTAssertEqual(clock.now.advanced(by: shortest).elapsed, shortest + .seconds(1))
        let first = ManualClock.Instant(elapsed: shortest)
        XCTAssertEqual(first.advanced(by: .seconds(-1)).elapsed, shortest)
        XCTAssertEqual(first.duration(to: clock.now), longest)
        XCTAssertEqual(clock.now.duration(to: first), shortest)
    }

    private func assertCancelled(
        _ sleeper: Task<Void, any Error>,
        line: UInt = #line
    ) async {
        do {
            try await sleeper.value
            XCTFail("the sleep ended without an error", line: line)
        } catch {
            XCTAssertTrue(error is CancellationError, "\(error)", line: line)
        }
    }
}
