import JobJournal
import JobKit
import JobKitTesting
import XCTest

/// The tool for users' tests finds faults, and accepts correct code.
final class CrashPointsTests: XCTestCase {
    private static func run<Output>(_ step: DurableOperation<Output>) async throws -> Output {
        step.start()
        return try await step.value
    }

    private func failure(
        _ job: @escaping @Sendable (JobJournal) async throws -> Int
    ) async -> CrashPointError? {
        do {
            try await CrashPoints.check(job)
            return nil
        } catch {
            XCTAssertTrue(error is CrashPointError, "\(error)")
            return error as? CrashPointError
        }
    }

    func testARightJobPassesAtEveryPoint() async throws {
        let runs = Tally()
        let points = try await CrashPoints.check { journal in
            runs.count()
            var sum = 0
            for number in 0..<5 {
                sum += try await Self.run(journal.step("\(number)") { _ in number })
            }
            sum += try await Self.run(journal.scope("s").step("0", version: 2) { _ in 100 })
            let retry = RetryOperation(.exponential(attempts: 2, initialDelay: .zero)) { attempt in
                journal.step("retried") { _ -> Int in
                    guard attempt == 2 else { throw CancelledOnce() }
                    return 1000
                }
            }
            retry.start()
            await retry.waitForFinish()
            return sum + (try XCTUnwrap(retry.latestAttempt?.result).get())
        }
        XCTAssertEqual(points.recordCount, 7)
        XCTAssertEqual(runs.value, 15)
    }

    func testAJobThatRemovesItsJournalPassesToo() async throws {
        let points = try await CrashPoints.check { journal in
            let job = StepForms.Import(journal)
            try await job.run()
            try await journal.remove()
            return job.sum
        }
        XCTAssertEqual(points.recordCount, 4)
    }

    func testOutcomeThatDependsOnUnrecordedStateIsFound() async throws {
        let sessions = Tally()
        let failed = await failure { journal in
            sessions.count()
            _ = try await Self.run(journal.step("a") { _ in 1 })
            return sessions.value
        }
        XCTAssertEqual(failed?.point, 1)
        XCTAssertEqual(failed?.isTorn, true)
        XCTAssertEqual(failed?.key, "a")
        XCTAssertEqual(failed?.expected, "1")
        XCTAssertEqual(failed?.found, "2")
    }

    func testAStepThatRunsAgainIsFound() async throws {
        // A key has two versions, of which only the last is recorded.
        let failed = await failure { journal in
            let first = try await Self.run(journal.step("a", version: 1) { _ in 1 })
            let second = try await Self.run(journal.step("a", version: 2) { _ in 2 })
            return first + second + (try await Self.run(journal.step("a", version: 1) { _ in 1 }))
        }
        XCTAssertNil(failed)
        let error = await failure { journal in
            let known = journal.recordedCount
            let step = journal.step("a", input: known) { _ in 1 }
            return try await Self.run(step)
        }
        XCTAssertEqual(error?.point, 1)
        XCTAssertEqual(error?.isTorn, false)
        XCTAssertTrue(
            error?.found.contains("JobJournal.InputChangedError") == true
                || error?.found.contains("input") == true
        )
    }

    func testTheErrorOfTheFirstRunIsThrownAsItIs() async {
        do {
            try await CrashPoints.check { _ -> Int in throw CancelledOnce() }
            XCTFail("no error")
        } catch {
            XCTAssertTrue(error is CancelledOnce)
        }
    }
}

private struct CancelledOnce: Error {}
