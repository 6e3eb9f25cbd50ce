import Foundation
import JobKit
import JobKitTesting
import XCTest

/// O8: every duration is valid, on every clock.
final class OperationLongTimeTests: XCTestCase {
    private static let long = [
        Duration.seconds(1 << 33), .seconds(Int64.max), Duration(attoseconds: .max),
    ]
    private static let due = [Duration.seconds(Int64.min), Duration(attoseconds: .min), .zero]

    private func checkAll(on clock: any Clock<Duration>) async {
        for never in Self.long {
            let operation = HeldOperation(stopsWhenCancelled: false)
            operation.clock = clock
            operation.maximumRuntime = never
            operation.start()
            operation.perform(after: never) { XCTFail("called after \(never)") }
            for due in Self.due {
                let log = EventLog()
                operation.perform(after: due) { log.record("due") }
                await bounded { await log.waitForEvent("due") }
            }
            operation.maximumRuntime = nil
            operation.maximumRuntime = never
            XCTAssertFalse(operation.isCancelled)
            operation.finish()
        }
        for due in Self.due {
            let operation = HeldOperation()
            operation.clock = clock
            operation.maximumRuntime = due
            operation.start()
            await bounded { await operation.waitForFinish() }
            XCTAssertEqual((operation.error as? OperationTimeoutError)?.limit, due)
        }
    }

    func testEveryDurationIsLegalOnTheContinuousClock() async {
        await checkAll(on: ContinuousClock())
    }

    func testEveryDurationIsLegalOnTheSuspendingClock() async {
        await checkAll(on: SuspendingClock())
    }

    func testEveryDurationIsLegalOnAManualClock() async {
        await checkAll(on: ManualClock())
    }

    // This clock traps at a deadline that does not fit into its 64 bits.
    func testEveryDurationIsLegalOnAClockOfNanoseconds() async {
        await checkAll(on: NanosecondClock())
    }

    // A sleep that is divided into several parts ends neither early nor late.
    func testLongDelayIsDueWhenItsTimeHasCome() async {
        let (clock, log) = (ManualClock(), EventLog())
        let operation = HeldOperation(stopsWhenCancelled: false)
        operation.clock = clock
        operation.start()
        let year = Duration.seconds(31_556_952)
        operation.perform(after: year * 500) { log.record("due") }
        operation.perform(after: year * 500 + .nanoseconds(1)) { log.record("too late") }
        for _ in 0..<5 {
            await clock.waitForSleepers(2)
            clock.advance(by: year * 99)
        }
        XCTAssertEqual(log.events, [])
        await clock.waitForSleepers(2)
        clock.advance(by: year * 5)
        await bounded { await log.waitForEvent("due") }
        XCTAssertEqual(log.events, ["due"])
        operation.finish()
        XCTAssertNil(clock.nextDeadline)
    }

    func testRetryMayWaitForever() async {
        let clock = ManualClock()
        for delay in Self.long {
            let policy = RetryPolicy { _, _ in delay }
            let retry = RetryOperation(policy) { _ in
                ScriptedOperation { $0.finish(with: SampleError()) }
            }
            retry.clock = clock
            retry.start()
            await clock.waitForSleepers()
            clock.advance(by: .seconds(1_000))
            XCTAssertFalse(retry.isFinished)
            retry.cancel()
            await bounded { await retry.waitForFinish() }
            XCTAssertEqual(retry.outcome?.text, "cancelled")
        }
    }
}

/// A stopped clock that counts nanoseconds in 64 bits, as many clocks do.
private struct NanosecondClock: Clock {
    private let sleepers = ManualClock()
    let now = Instant(nanoseconds: 1 << 40)

    struct Instant: InstantProtocol {
        let nanoseconds: Int64

        func advanced(by duration: Duration) -> Instant {
            Instant(nanoseconds: nanoseconds + Int64(duration.attoseconds / 1_000_000_000))
        }

        func duration(to other: Instant) -> Duration {
            .nanoseconds(other.nanoseconds - nanoseconds)
        }

        static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
    }

    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let left = now.duration(to: deadline)
        guard left > .zero else { return }
        try await sleepers.sleep(until: sleepers.now.advanced(by: left))
    }
}
