import JobJournal
import JobKit
import XCTest

/// Each form of a step works, and its outcome is recorded for the next session.
final class StepFormsTests: XCTestCase {
    private let forms: [@Sendable (JobJournal) -> [Operation]] = [
        StepForms.bodies, StepForms.inputs, StepForms.makings, StepForms.retries,
        StepForms.voids,
    ]

    func testEveryFormRunsOnceAndIsKnownAfterwards() async throws {
        for form in forms {
            let folder = TemporaryFolder(self)
            for session in 1...2 {
                let journal = try folder.journal()
                let steps = form(journal)
                for step in steps {
                    step.start()
                    await step.waitForFinish()
                    let operation = try XCTUnwrap(step as? ConcurrentOperation)
                    XCTAssertEqual(operation.outcome?.description, "succeeded", "\(step)")
                    XCTAssertEqual(operation.statusNote != nil, session == 2)
                }
                XCTAssertEqual(journal.recordedCount, steps.count)
                await journal.close()
            }
        }
    }

    func testStepsOfAJobDeliverTheirValues() async throws {
        let folder = TemporaryFolder(self)
        for _ in 1...2 {
            let journal = try folder.journal()
            let job = StepForms.Import(journal)
            try await job.run()
            XCTAssertEqual(job.sum, 18)
            XCTAssertEqual(journal.recordedCount, 4)
            XCTAssertEqual(journal.scope("c").recordedCount, 1)
            await journal.close()
        }
    }
}
