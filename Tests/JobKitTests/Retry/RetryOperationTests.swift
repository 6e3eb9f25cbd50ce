import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

// R1
final class RetryOperationTests: XCTestCase {
    private struct Refused: Error, Equatable { let number: Int }

    private final class Attempt: ConcurrentOperation, @unchecked Sendable {
        let refusal: Refused?

        init(refusal: Refused?) {
            self.refusal = refusal
        }

        override func main() {
            if let refusal { finish(with: refusal) } else { finish() }
        }
    }

    // Operation forces @unchecked. The properties are constants.
    /// An attempt that calls a closure when it is released.
    private final class BoundOperation: ConcurrentOperation, @unchecked Sendable {
        private let failure: Refused?
        private let token: ReleaseToken

        init(failure: Refused?, _ released: @escaping @Sendable () -> Void) {
            self.failure = failure
            token = ReleaseToken(released)
        }

        override func main() {
            if let failure { finish(with: failure) } else { finish() }
        }
    }

    private func failing(_ failures: Int) -> @Sendable (Int) -> Attempt {
        { number in Attempt(refusal: number <= failures ? Refused(number: number) : nil) }
    }

    private static let steady = RetryPolicy { failed, _ in failed < 4 ? .seconds(failed) : nil }

    func testAttemptThatSucceedsAtOnceEndsTheRetry() async throws {
        let retry = RetryOperation(Self.steady, make: failing(0))
        try await retry.run()
        XCTAssertEqual(retry.latestAttempt?.isFinished, true)
    }

    func testDelaysAreTakenFromTheFailedAttemptsFinish() async throws {
        let clock = ManualClock()
        let retry = RetryOperation(Self.steady, make: failing(2))
        retry.clock = clock
        async let ended: Void = retry.run()
        for seconds in [1, 2] {
            await clock.waitForSleepers()
            XCTAssertEqual(clock.nextDeadline, clock.now.advanced(by: .seconds(seconds)))
            clock.advance(by: .seconds(seconds))
        }
        try await ended
    }

    func testRetryGivesUpWithTheLastAttemptsError() async {
        let clock = ManualClock()
        let retry = RetryOperation(Self.steady, make: failing(9))
        retry.clock = clock
        TaskQueue.shared.addOperation(retry)
        for seconds in [1, 2, 3] {
            await clock.waitForSleepers()
            clock.advance(by: .seconds(seconds))
        }
        await bounded { await retry.waitForFinish() }
        XCTAssertEqual(retry.error as? Refused, Refused(number: 4))
        XCTAssertEqual(retry.latestAttempt?.error as? Refused, Refused(number: 4))
    }

    func testErrorNotWorthARetryEndsIt() async {
        let retry = RetryOperation(Self.steady, shouldRetry: { _ in false }, make: failing(1))
        TaskQueue.shared.addOperation(retry)
        await bounded { await retry.waitForFinish() }
        XCTAssertEqual(retry.error as? Refused, Refused(number: 1))
    }

    func testRetryNowEndsTheCurrentDelay() async throws {
        let clock = ManualClock()
        let retry = RetryOperation(Self.steady, make: failing(3))
        retry.clock = clock
        retry.retryNow()
        async let ended: Void = retry.run()
        for seconds in [1, 2, 3] {
            let now = clock.now
            await clock.waitForDeadline(now.advanced(by: .seconds(seconds)))
            retry.retryNow()
        }
        try await ended
        XCTAssertEqual(retry.latestAttempt?.isFinished, true)
        XCTAssertNil(clock.nextDeadline)
        retry.retryNow()
    }

    func testCancelEndsADelayAtOnce() async {
        let clock = ManualClock()
        let retry = RetryOperation(Self.steady, make: failing(9))
        retry.clock = clock
        TaskQueue.shared.addOperation(retry)
        await clock.waitForSleepers()
        retry.cancel()
        await bounded { await retry.waitForFinish() }
        guard case .cancelled = retry.outcome else { return XCTFail("\(retry.outcome as Any)") }
        XCTAssertNil(retry.error)
    }

    func testRetryKeepsItsPermitDuringTheDelay() async throws {
        let clock = ManualClock()
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let log = EventLog()
        let retry = RetryOperation(Self.steady, make: failing(1))
        retry.clock = clock
        queue.addOperation(retry)
        let next = AsyncOperation { log.record("next, after \(retry.isFinished)") }
        queue.addOperation(next)
        await clock.waitForSleepers()
        XCTAssertEqual(queue.operations.filter(\.isExecuting), [retry])
        clock.advance(by: .seconds(1))
        try await next.value
        XCTAssertEqual(log.events, ["next, after true"])
    }

    // The retry is the last owner of an attempt when it creates the next one.
    func testAttemptIsReleasedWithNoLockHeld() async throws {
        let log = EventLog()
        let retries = Guarded<[RetryOperation<BoundOperation>]>([])
        let retry = RetryOperation(RetryPolicy { _, _ in .zero }) { number in
            BoundOperation(failure: number == 1 ? Refused(number: 1) : nil) {
                guard let retry = retries.withLock({ $0.first }) else { return }
                log.record("released, \(retry.latestAttempt == nil ? "none" : "one") is the last")
            }
        }
        retries.withLock { $0 = [retry] }
        TaskQueue.shared.addOperation(retry)
        await bounded { await retry.waitForFinish() }
        XCTAssertEqual(log.events, ["released, one is the last"])
        retries.withLock { $0 = [] }
    }

    func testClosuresAreReleasedWhenTheRetryHasFinished() async throws {
        let log = EventLog()
        func make() -> RetryOperation<Attempt> {
            let token = ReleaseToken { log.record("released") }
            return RetryOperation(
                RetryPolicy { _, _ in withExtendedLifetime(token) { nil } },
                shouldRetry: { _ in withExtendedLifetime(token) { true } },
                make: { _ in withExtendedLifetime(token) { Attempt(refusal: nil) } }
            )
        }
        let retry = make()
        XCTAssertEqual(log.events, [])
        try await retry.run()
        await log.waitForEvent("released")
        XCTAssertNotNil(retry.latestAttempt)
    }

    func testPlainOperationIsRunOnce() async throws {
        let log = EventLog()
        let retry = RetryOperation(Self.steady) { number in
            BlockOperation { log.record("attempt \(number)") }
        }
        try await retry.run()
        XCTAssertEqual(log.events, ["attempt 1"])
    }

    func testExponentialDelaysGrowToTheirLimit() {
        let backoff = ExponentialBackoff(
            attempts: 1_000_000,
            initialDelay: .seconds(1),
            multiplier: 2,
            jitter: 0.5,
            maximumDelay: .seconds(10)
        )
        XCTAssertEqual(
            [1, 2, 3, 4, 5].map { backoff.delay(failedAttempts: $0, random: 0) },
            [1, 2, 4, 7.5, 7.5].map { .seconds($0) }
        )
        XCTAssertEqual(backoff.delay(failedAttempts: 1, random: -1), .seconds(0.5))
        XCTAssertEqual(backoff.delay(failedAttempts: 1, random: 1), .seconds(1.5))
        XCTAssertEqual(backoff.delay(failedAttempts: 999_999, random: -1), .seconds(5))
        XCTAssertNil(backoff.delay(failedAttempts: 1_000_000, random: 0))
    }
}
