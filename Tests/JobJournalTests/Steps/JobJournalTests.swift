import Foundation
import JobJournal
import JobKit
import JobKitTesting
import XCTest

/// The rules S1 to S7 on live journals.
final class JobJournalTests: XCTestCase {
    private struct Refused: Error {}

    private func run<Output>(_ step: DurableOperation<Output>) async throws -> Output {
        step.start()
        return try await step.value
    }

    func testARecordedOutcomeIsKnownInTheNextSession() async throws {  // S2
        let folder = TemporaryFolder(self)
        for safety in [JobJournal.Safety.processCrash, .powerLoss] {
            var journal = try folder.journal("\(safety == .powerLoss)", safety)
            let first = journal.step("a") { _ in 5 }
            let value = try await run(first)
            XCTAssertEqual(value, 5)
            XCTAssertFalse(first.wasKnown)
            XCTAssertEqual(first.name, "a")
            await journal.close()
            journal = try folder.journal("\(safety == .powerLoss)", safety)
            XCTAssertEqual(journal.recordedCount, 1)
            let second = journal.step("a") { _ -> Int in
                XCTFail("a recorded step ran")
                return 6
            }
            let known = try await run(second)
            XCTAssertEqual(known, 5)
            XCTAssertTrue(second.wasKnown)
            XCTAssertEqual(second.statusNote, "known from the journal")
        }
    }

    func testTheOutcomeIsInTheFileWhenTheStepFinishes() async throws {  // S1
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        for number in 0..<20 {
            let step = journal.step("step \(number)") { _ in "outcome \(number)" }
            let isWritten = expectation(description: "finished")
            step.completionBlock = {
                let text = String(decoding: (try? folder.bytes) ?? [], as: UTF8.self)
                XCTAssertTrue(text.contains("\"outcome \(number)\""))
                isWritten.fulfill()
            }
            step.start()
            await fulfillment(of: [isWritten], timeout: 300)
        }
    }

    func testAFailureIsNotRecorded() async throws {  // S3
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        let failing = journal.step("a") { _ -> Int in throw Refused() }
        failing.start()
        await failing.waitForFinish()
        XCTAssertTrue(failing.error is Refused)
        let cancelled = journal.step("a") { _ -> Int in
            try await Task.sleep(for: .seconds(1000))
            return 1
        }
        cancelled.start()
        cancelled.cancel()
        await cancelled.waitForFinish()
        XCTAssertEqual(cancelled.outcome?.description, "cancelled")
        XCTAssertEqual(journal.recordedCount, 0)
        let value = try await run(journal.step("a") { _ in 2 })
        XCTAssertEqual(value, 2)
        XCTAssertEqual(journal.recordedCount, 1)
    }

    func testAnotherKeyRunsAndTheOrderDoesNotMatter() async throws {  // S4
        let folder = TemporaryFolder(self)
        let first = try folder.journal()
        for key in ["a", "b", "c"] { _ = try await run(first.step(key) { _ in key }) }
        await first.close()
        let second = try folder.journal()
        var known: [String] = []
        for key in ["d", "c", "a"] {
            let step = second.step(key) { _ in key }
            let value = try await run(step)
            XCTAssertEqual(value, key)
            if step.wasKnown { known.append(key) }
        }
        XCTAssertEqual(known, ["c", "a"])
        XCTAssertEqual(second.recordedCount, 4)
    }

    func testAnotherInputFailsAndDoesNotRun() async throws {  // S5
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        let input = ["b": 1, "a": 2, "c": 3]
        _ = try await run(journal.step("a", input: input) { _ in input.count })
        let same = journal.step("a", input: ["c": 3, "a": 2, "b": 1]) { _ in 9 }
        let known = try await run(same)
        XCTAssertEqual(known, 3)
        let changed = journal.step("a", input: ["a": 1]) { _ -> Int in
            XCTFail("a step with another input ran")
            return 1
        }
        changed.start()
        await changed.waitForFinish()
        XCTAssertEqual((changed.error as? JobJournal.InputChangedError)?.key, "a")
        let without = journal.step("a") { _ in 1 }
        without.start()
        await without.waitForFinish()
        XCTAssertTrue(without.error is JobJournal.InputChangedError)
    }

    func testAnotherVersionForgetsTheRecord() async throws {  // S5
        let folder = TemporaryFolder(self)
        var journal = try folder.journal()
        _ = try await run(journal.step("a", input: 1) { _ in 1 })
        let second = journal.step("a", input: 2, version: 2) { _ in "two" }
        let value = try await run(second)
        XCTAssertEqual(value, "two")
        XCTAssertFalse(second.wasKnown)
        await journal.close()
        journal = try folder.journal()
        XCTAssertEqual(journal.recordedCount, 1)
        let known = journal.step("a", input: 2, version: 2) { _ in "three" }
        _ = try await run(known)
        XCTAssertTrue(known.wasKnown)
        let first = journal.step("a", input: 1) { _ in 4 }
        let again = try await run(first)
        XCTAssertEqual(again, 4)
        XCTAssertFalse(first.wasKnown)
    }

    func testAnOutcomeOfAnotherTypeFailsAndStays() async throws {  // S5
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        _ = try await run(journal.step("a") { _ in "text" })
        for _ in 1...2 {
            let step = journal.step("a") { _ in 5 }
            step.start()
            await step.waitForFinish()
            XCTAssertTrue(step.error is DecodingError, "\(String(describing: step.error))")
        }
        let void = journal.step("a") { _ in }
        void.start()
        await void.waitForFinish()
        XCTAssertTrue(void.error is DecodingError)
        let value = try await run(journal.step("a", version: 2) { _ in 5 })
        XCTAssertEqual(value, 5)
    }

    func testOutcomeThatCannotBeEncodedFailsItsStepAlone() async throws {  // S5
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        let step = journal.step("a") { _ in Double.nan }
        step.start()
        await step.waitForFinish()
        XCTAssertTrue(step.error is EncodingError)
        let input = journal.step("b", input: Double.infinity) { _ in
            XCTFail("a step ran without its input")
        }
        input.start()
        await input.waitForFinish()
        XCTAssertTrue(input.error is EncodingError)
        let value = try await run(journal.step("a") { _ in 1.5 })
        XCTAssertEqual(value, 1.5)
    }

    func testAKeyIsInUseUntilItsStepHasFinished() async throws {  // S6
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        let gate = Gate()
        let first = journal.step("a") { _ in
            await gate.waitUntilOpen()
            return 1
        }
        first.start()
        let second = journal.step("a") { _ in 2 }
        second.start()
        await second.waitForFinish()
        XCTAssertEqual((second.error as? JobJournal.KeyInUseError)?.key, "a")
        let elsewhere = try await run(journal.scope("a").step("a") { _ in 3 })
        XCTAssertEqual(elsewhere, 3)
        gate.open()
        _ = try await first.value
        let third = journal.step("a") { _ in 4 }
        let value = try await run(third)
        XCTAssertEqual(value, 1)
        XCTAssertTrue(third.wasKnown)
    }

    func testTimedOutStepReleasesItsKey() async throws {  // S6, S11
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        let clock = ManualClock()
        let step = journal.step("a") { _ in
            try await Task.sleep(for: .seconds(1000))
            return 1
        }
        step.clock = clock
        step.maximumRuntime = .seconds(5)
        step.start()
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        await step.waitForFinish()
        XCTAssertTrue(step.error is OperationTimeoutError)
        let value = try await run(journal.step("a") { _ in 2 })
        XCTAssertEqual(value, 2)
    }

    func testASecondJournalIsRefusedUntilTheFirstIsGone() async throws {  // S7
        let folder = TemporaryFolder(self)
        var first: JobJournal? = try folder.journal()
        XCTAssertThrowsError(try folder.journal()) { error in
            XCTAssertEqual((error as? JobJournal.InUseError)?.job, "job")
        }
        let other = try folder.journal("other")
        XCTAssertEqual(other.job, "other")
        var scope = first?.scope("nested")
        first = nil
        XCTAssertThrowsError(try folder.journal())
        withExtendedLifetime(scope) {}
        scope = nil
        let second = try folder.journal()
        await second.close()
        let third = try folder.journal()
        try await third.remove()
        XCTAssertEqual(try folder.names.count, 1)
        _ = try folder.journal()
    }

    func testAfterTheEndAStepFailsBeforeItRuns() async throws {
        let folder = TemporaryFolder(self)
        for removing in [false, true] {
            let journal = try folder.journal()
            _ = try await run(journal.step("known") { _ in 1 })
            if removing { try await journal.scope("x").remove() } else { await journal.close() }
            for key in ["known", "new"] {
                let step = journal.step(key) { _ -> Int in
                    XCTFail("a step of a closed journal ran")
                    return 1
                }
                step.start()
                await step.waitForFinish()
                XCTAssertTrue(step.error is JobJournal.WriteError)
            }
            try await journal.remove()
            try await journal.remove()
            await journal.close()
            XCTAssertEqual(try folder.names, [])
        }
    }

    func testTheContextNamesTheStep() async throws {  // S2
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        let body: @Sendable (StepContext) async throws -> String = { $0.idempotencyKey }
        var keys: [String] = []
        for step in [
            journal.step("a", body), journal.step("b", body),
            journal.scope("a").step("a", body), journal.scope("aa").step("", body),
            journal.step("a", version: 2, body),
        ] { keys.append(try await run(step)) }
        let first = EventLog()
        let begun = journal.step("begun") { context -> String in
            XCTAssertFalse(context.mayHaveBegun)
            first.record(context.idempotencyKey)
            throw Refused()
        }
        begun.start()
        await begun.waitForFinish()
        XCTAssertEqual(Set(keys).count, keys.count)
        await journal.close()
        let next = try folder.journal()
        let again = try await run(
            next.step("begun") { context in
                XCTAssertTrue(context.mayHaveBegun)
                XCTAssertEqual(context.key, "begun")
                return context.idempotencyKey
            }
        )
        XCTAssertFalse(keys.contains(again))
        XCTAssertEqual([again], first.events)
        let fresh = try await run(next.step("fresh") { $0.mayHaveBegun })
        XCTAssertFalse(fresh)
        let other = try folder.journal("other")
        let elsewhere = try await run(other.step("b", body))
        XCTAssertFalse(keys.contains(elsewhere))
    }
}
