import Foundation
import JobJournal
import JobKit
import JobKitTesting
import XCTest

/// The names and signatures of a journal on which users' code depends.
final class ContractJournal: XCTestCase {
    func testJournal() async throws {
        let folder = TemporaryFolder(self).url
        let journal = try JobJournal(at: folder, job: "job", safety: .powerLoss)
        let _: JobJournal.Safety = .processCrash
        let _: Set<JobJournal.Safety> = [.processCrash, .powerLoss]
        let _: (String, Int) = (journal.job, journal.recordedCount)
        let scope: JobJournal = journal.scope("nested")
        await scope.close()
        try await journal.remove()
    }

    func testSteps() async throws {
        let journal = try TemporaryFolder(self).journal()
        let input: (any Encodable & Sendable)? = 1
        let body: DurableOperation<Int> = journal.step("a", input: input, version: 2) { context in
            let _: (String, String, Bool) = (
                context.key, context.idempotencyKey, context.mayHaveBegun
            )
            return 1
        }
        let void: DurableOperation<Void> = journal.step("b", input: nil) { (_: StepContext) in }
        let made: DurableOperation<Int> = journal.operationStep("c", input: "x", version: 1) { _ in
            RetryOperation(.exponential(attempts: 1, initialDelay: .zero)) { _ in
                AsyncOperation { 1 }
            }
        }
        let any: DurableOperation<Void> = journal.operationStep(
            "d",
            making: { (_: StepContext) -> ConcurrentOperation in ConcurrentOperation() }
        )
        let _: (String, Bool) = (body.key, body.wasKnown)
        let value: Int = try await body.run()
        try await void.run()
        let retried: Int = try await made.run()
        try await any.run()
        let result: Result<Int, any Error>? = body.result
        XCTAssertEqual([value, retried, try result?.get()], [1, 1, 1])
        let job = JobController()
        job.trackAndQueue(journal.step("e") { _ in 1 }, onSuccess: { (_: Int) in })
        try await job.run()
    }

    func testErrors() {
        let file = URL(fileURLWithPath: "/file")
        let underlying = CocoaError(.fileWriteUnknown)
        let errors: [(any LocalizedError & CustomStringConvertible, String)] = [
            (JobJournal.InUseError(job: "import"), "import"),
            (JobJournal.DamagedError(file: file, offset: 7, reason: "why"), "/file"),
            (JobJournal.WriteError(file: file, underlying: underlying), "/file"),
            (JobJournal.InputChangedError(key: "send"), "send"),
            (JobJournal.KeyInUseError(key: "send"), "send"),
            (
                CrashPointError(point: 1, isTorn: true, key: "send", expected: "1", found: "2"),
                "send"
            ),
        ]
        for (error, name) in errors {
            XCTAssertTrue(error.description.contains(name), error.description)
            XCTAssertTrue(error.description.hasSuffix("."), error.description)
            XCTAssertEqual(error.errorDescription, error.description)
        }
    }

    func testCrashPoints() async throws {
        let job: @Sendable (JobJournal) async throws -> Int = { journal in
            let step = journal.step("a") { _ in 1 }
            step.start()
            return try await step.value
        }
        try await CrashPoints.check(job)
        let points: CrashPoints = try await CrashPoints.check(job)
        XCTAssertEqual(points.recordCount, 1)
    }
}
