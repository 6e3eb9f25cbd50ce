import Foundation
import JobKit
import JobKitTesting
import XCTest

// J7
final class TaskFailureResponseTests: XCTestCase {
    func testCarryOnResponseDeliversWithoutTaskFailed() async throws {
        let job = ScriptedJob { job in
            job.trackAndQueue(
                InstantOperation("bad", failure: SampleError("bad")),
                failure: .carryOn
            )
        }
        try await job.run()
        XCTAssertEqual(job.events, ["task bad", "group InstantOperation", "all"])
        XCTAssertNil(job.error)
    }

    func testFailJobResponseFailsWithoutTaskFailed() async {
        let held = HeldOperation("held")
        let job = ScriptedJob { job in
            job.trackAndQueue(held)
            job.track(failed("bad"), failure: .failJob) { _ in job.log.record("closure") }
        }
        job.onFailure = { _, _ in .carryOn }
        await expectThrow(SampleError.self) { try await job.run() }
        XCTAssertEqual(job.events, [])
        XCTAssertTrue(held.isCancelled)
    }

    func testTaskFailedIsCalledWithoutAResponse() async throws {
        let job = ScriptedJob { job in
            job.trackAndQueue(InstantOperation("bad", failure: SampleError("bad")), failure: nil)
        }
        job.onFailure = { _, _ in .carryOn }
        try await job.run()
        XCTAssertEqual(
            job.events,
            ["failed bad", "task bad", "group InstantOperation", "all"]
        )
    }

    func testCancelledTaskHasNotFailed() async throws {
        let job = ScriptedJob { job in
            let task = InstantOperation("cancelled")
            task.cancel()
            job.trackAndQueue(task, failure: .failJob)
        }
        try await job.run()
        XCTAssertEqual(job.events.first, "task cancelled")
    }
}

/// Returns an operation that has already failed.
private func failed(_ text: String) -> InstantOperation {
    let operation = InstantOperation(text, failure: SampleError(text))
    operation.start()
    return operation
}
