import Foundation
import JobJournal
import JobKit
import JobKitTesting
import XCTest

/// S3: after a step has ended, its body's result is not recorded, in either form.
final class EndedStepTests: XCTestCase {
    private struct Refused: Error {}

    /// A step with a body that ignores its cancellation and returns when `release` is opened.
    private struct Sending {
        let began = Gate()
        let release = Gate()
        let returned = Gate()

        func step(in journal: JobJournal, isOperation: Bool) -> DurableOperation<String> {
            let body: @Sendable () async -> String = {
                began.open()
                await release.waitUntilOpen()
                returned.open()
                return "sent in the first session"
            }
            return isOperation
                ? journal.operationStep("send") { _ in AsyncOperation { await body() } }
                : journal.step("send") { _ in await body() }
        }
    }

    private func run<Output>(_ step: DurableOperation<Output>) async throws -> Output {
        step.start()
        return try await step.value
    }

    private func check(
        _ end: (DurableOperation<String>, Sending, ManualClock) async throws -> Void
    ) async throws {
        for isOperation in [false, true] {
            let folder = TemporaryFolder(self)
            let journal = try folder.journal()
            let (sending, clock) = (Sending(), ManualClock())
            let step = sending.step(in: journal, isOperation: isOperation)
            step.clock = clock
            step.maximumRuntime = .seconds(3)
            step.start()
            await sending.began.waitUntilOpen()
            try await end(step, sending, clock)
            sending.release.open()
            await sending.returned.waitUntilOpen()
            await step.waitForFinish()
            XCTAssertNotEqual(step.outcome?.description, "succeeded")
            // The next step of the key runs, so nothing was recorded before it either.
            let again = journal.step("send") { _ in "sent again" }
            let value = try await run(again)
            XCTAssertEqual(value, "sent again")
            XCTAssertFalse(again.wasKnown)
            await journal.close()
            let next = try folder.journal()
            let known = try await run(next.step("send") { _ in "" })
            XCTAssertEqual(known, "sent again")
        }
    }

    func testCancelledStepIsNotRecorded() async throws {
        try await check { step, _, _ in step.cancel() }
    }

    func testStepThatTimedOutIsNotRecorded() async throws {
        try await check { step, _, clock in
            let cancelled = expectation(description: "cancelled")
            let watch = Task {
                while !step.isCancelled { await Task.yield() }
                cancelled.fulfill()
            }
            await clock.waitForSleepers()
            clock.advance(by: .seconds(3))
            await fulfillment(of: [cancelled], timeout: 300)
            await watch.value
        }
    }

    func testStepThatFailedIsNotRecorded() async throws {
        try await check { step, _, _ in step.finish(with: Refused()) }
    }

    func testAbandonedStepIsNotRecorded() async throws {
        try await check { step, _, clock in
            step.maximumStopTime = .seconds(1)
            step.cancel()
            await clock.waitForDeadline(clock.now.advanced(by: .seconds(1)))
            clock.advance(by: .seconds(1))
            await step.waitForFinish()
            XCTAssertTrue(step.isAbandoned)
        }
    }

    /// Reports when its last owner releases it.
    private final class Captured: Codable, Sendable {
        private let released: Gate

        init(_ released: Gate) { self.released = released }

        init(from decoder: any Decoder) throws { released = Gate() }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(1)
        }

        deinit { released.open() }
    }

    func testClosureAndInputAreReleasedWhenTheStepHasFinished() async throws {
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        for (round, isOperation) in [false, true].enumerated() {
            let ends: [(DurableOperation<String>) async throws -> Void] = [
                { try await $0.run() },
                { try await $0.run() },  // It is known now.
                { $0.cancel() },
                { $0.finish(with: Refused()) },
            ]
            for end in ends {
                let released = [Gate(), Gate()]
                func make() -> DurableOperation<String> {
                    let (body, input) = (Captured(released[0]), Captured(released[1]))
                    return isOperation
                        ? journal.operationStep("\(round)", input: input) { _ in
                            withExtendedLifetime(body) { AsyncOperation { "sent" } }
                        }
                        : journal.step("\(round)", input: input) { _ in
                            withExtendedLifetime(body) { "sent" }
                        }
                }
                let step = make()
                XCTAssertEqual(released.map(\.isOpen), [false, false])
                try await end(step)
                if !step.isFinished { step.start() }
                await step.waitForFinish()
                for gate in released { await gate.waitUntilOpen() }
            }
        }
        await journal.close()
    }

    func testOutcomeThatCannotBeDecodedFailsTheStep() async throws {  // S5
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        struct Price: Codable, Sendable { var amounts: [String: Decimal] }
        for step in [
            journal.step("a") { _ in Decimal.nan } as ConcurrentOperation,
            journal.step("b") { _ in [Decimal.nan] },
            journal.step("c") { _ in Price(amounts: ["NaN": .nan]) },
            journal.step("d", input: Decimal.nan) { _ in 1 },
        ] {
            step.start()
            await step.waitForFinish()
            XCTAssertTrue(step.error is EncodingError, "\(String(describing: step.error))")
        }
        let text = "NaN \"\\ Infinity"
        for _ in 1...2 {
            let value = try await run(journal.step("e") { _ in [text, "é"] })
            XCTAssertEqual(value, [text, "é"])
        }
        let numbers = try await run(journal.step("f") { _ in [1e100, -0.0, 5e-300] })
        XCTAssertEqual(numbers, [1e100, -0.0, 5e-300])
        XCTAssertEqual(journal.recordedCount, 2)
    }

    func testWriteErrorNamesTheFile() async throws {  // S9
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        let step = journal.step("a") { _ in 1 }
        await journal.close()
        step.start()
        await step.waitForFinish()
        let error = try XCTUnwrap(step.error as? JobJournal.WriteError)
        XCTAssertEqual(error.file.lastPathComponent, "job.journal")
        XCTAssertTrue(error.description.contains("job.journal"), error.description)
    }
}
