import Foundation
import JobKit
import JobKitTesting
import XCTest

// R1, O3: retries of operations that have a value.
final class RetryValueTests: XCTestCase {
    private struct Refused: Error {}

    private final class Sum: ResultJob<Int>, @unchecked Sendable {
        override func main() { finish(returning: 3) }
    }

    private static let twice = RetryPolicy { failed, _ in failed < 2 ? .zero : nil }

    /// Fails the first time.
    private static func fetch(_ attempt: Int) async throws -> [String] {
        if attempt == 1 { throw Refused() }
        return ["record \(attempt)"]
    }

    func testValueIsThatOfTheAttemptThatSucceeded() async throws {
        let retry = RetryOperation(Self.twice) { n in AsyncOperation { try await Self.fetch(n) } }
        XCTAssertNil(retry.result.map { "\($0)" })
        TaskQueue.shared.addOperation(retry)
        let value = try await retry.value
        XCTAssertEqual(value, ["record 2"])
        XCTAssertEqual(try retry.result?.get(), ["record 2"])
    }

    func testJobIsGivenTheValue() async throws {
        let job = ScriptedJob { job in
            job.trackAndQueue(
                RetryOperation(Self.twice) { n in AsyncOperation { try await Self.fetch(n) } },
                onSuccess: { records in
                    for record in records { job.log.record(record) }
                }
            )
            let jobs = RetryOperation(Self.twice) { _ in Sum() }
            job.track(jobs, group: .named("jobs"), onSuccess: { job.log.record("sum \($0)") })
            jobs.start()
            let nested = RetryOperation(Self.twice) { _ in
                RetryOperation(Self.twice) { n in AsyncOperation { try await Self.fetch(n) } }
            }
            job.trackAndQueue(nested, onSuccess: { job.log.record("nested \($0)") })
        }
        try await job.run()
        XCTAssertEqual(
            Set(job.events.filter { !$0.hasPrefix("group") }),
            ["record 2", "sum 3", "nested [\"record 2\"]", "all"]
        )
    }

    func testRetryThatStopsIsDeliveredToTaskFinished() async throws {
        let job = ScriptedJob { job in
            let retry = RetryOperation(Self.twice) { _ in AsyncOperation<Int> { throw Refused() } }
            retry.name = "fetch"
            job.trackAndQueue(
                retry,
                group: .named("fetches"),
                failure: .carryOn,
                onSuccess: { _ in job.log.record("a value") }
            )
        }
        try await job.run()
        XCTAssertEqual(job.events, ["task fetch", "group fetches", "all"])
    }

    func testValueThrowsTheLastError() async {
        let retry = RetryOperation(Self.twice) { _ in AsyncOperation<Int> { throw Refused() } }
        TaskQueue.shared.addOperation(retry)
        do {
            _ = try await retry.value
            XCTFail("a value")
        } catch {
            XCTAssertTrue(error is Refused)
        }
    }

    func testValueOfARetryCancelledBeforeItsStartNeverHangs() async {
        let early = RetryOperation(Self.twice) { _ in AsyncOperation { 1 } }
        early.cancel()
        await Self.assertCancelled(early)
        let queue = TaskQueue()
        queue.isSuspended = true
        let waiting = RetryOperation(Self.twice) { _ in AsyncOperation { 1 } }
        queue.addOperation(waiting)
        async let cancelled: Void = Self.assertCancelled(waiting)
        waiting.cancel()
        await cancelled
        queue.isSuspended = false
    }

    private static func assertCancelled(_ retry: RetryOperation<AsyncOperation<Int>>) async {
        do {
            _ = try await retry.value
            XCTFail("a value")
        } catch {
            XCTAssertTrue(error is CancellationError)
        }
    }

    func testRetryThatIsFinishedWithoutAValueHasFailed() async {
        let retry = RetryOperation(Self.twice) { _ in AsyncOperation { 1 } }
        retry.finish()
        retry.start()
        await bounded { await retry.waitForFinish() }
        XCTAssertTrue(retry.error is MissingResultError)
        let running = RetryOperation(Self.twice) { _ in HeldResultOperation<Int>() }
        running.start()
        running.finish()
        await bounded { await running.waitForFinish() }
        XCTAssertTrue(running.error is MissingResultError)
    }

    func testRetryOfVoidOwesNoValue() async throws {
        let retry = RetryOperation(Self.twice) { _ in AsyncOperation {} }
        retry.finish()
        retry.start()
        try await retry.value
        let plain = RetryOperation(Self.twice) { _ in BlockOperation {} }
        plain.finish()
        plain.start()
        await bounded { await plain.waitForFinish() }
        XCTAssertNil(plain.error)
    }

    // Accepts anything that has a value, using only the protocol.
    func testProtocolIsEnoughToTrackATask() async throws {
        let tasks: [any ValueProducing<Int>] = [
            ClosureOperation { 3 }, Sum(), RetryOperation(Self.twice) { _ in Sum() },
        ]
        let job = ScriptedJob { job in
            for task in tasks {
                job.trackAndQueue(task, onSuccess: { job.log.record("value \($0)") })
            }
        }
        try await job.run()
        XCTAssertEqual(job.events.filter { $0 == "value 3" }.count, 3)
    }

    // MARK: A queue for the attempts

    func testAttemptsGoIntoTheirQueue() async throws {
        let (queue, attempts) = (StepQueue(), StepQueue())
        let clock = ManualClock()
        let retry = RetryOperation(
            RetryPolicy { failed, _ in failed < 2 ? .seconds(5) : nil },
            on: attempts
        ) { n in
            ClosureOperation(name: "attempt \(n)") { if n == 1 { throw Refused() } }
        }
        retry.clock = clock
        queue.addOperation(retry)
        queue.runNext()
        XCTAssertEqual(attempts.held.map(\.name), ["attempt 1"])
        attempts.runNext()
        XCTAssertEqual(attempts.held, [])
        await clock.waitForDeadline(clock.now.advanced(by: .seconds(5)))
        clock.advance(by: .seconds(5))
        await eventually { attempts.held.map(\.name) == ["attempt 2"] }
        attempts.runNext()
        try await retry.value
    }

    func testDelayHoldsNoPermitOfALimitedQueue() async throws {
        let clock = ManualClock()
        let limited = TaskQueue(name: "limited", maxConcurrentOperationCount: 1)
        let retry = RetryOperation(
            RetryPolicy { failed, _ in failed < 2 ? .seconds(5) : nil },
            on: limited
        ) { n in ClosureOperation { if n == 1 { throw Refused() } } }
        retry.clock = clock
        TaskQueue.shared.addOperation(retry)
        await clock.waitForSleepers()
        let other = AsyncOperation { 1 }
        limited.addOperation(other)
        _ = try await other.value
        XCTAssertFalse(retry.isFinished)
        clock.advance(by: .seconds(5))
        try await retry.value
    }

    func testCancelReachesAnAttemptThatWaitsInItsQueue() async throws {
        let attempts = TaskQueue()
        attempts.isSuspended = true
        let retry = RetryOperation(Self.twice, on: attempts) { _ in AsyncOperation { 1 } }
        TaskQueue.shared.addOperation(retry)
        await eventually { attempts.operationCount == 1 }
        retry.cancel()
        await Self.assertCancelled(retry)
        attempts.isSuspended = false
    }
}
