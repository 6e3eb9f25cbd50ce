import Foundation
import JobKit
import JobKitTesting
import XCTest

// J7
final class FailureTests: XCTestCase {
    private let bad = SampleError("bad")

    func testFailureFailsTheJobAfterItsSiblingsHaveStopped() async {
        let sibling = HeldOperation("sibling", stopsWhenCancelled: false)
        let failing = HeldOperation("bad")
        let job = ScriptedJob { job in
            job.trackAndQueue(sibling)
            job.trackAndQueue(failing)
        }
        job.startJob()
        await wait(for: sibling.began)
        // Not earlier, because a sibling that is cancelled before its start never begins.
        failing.finish(with: bad)
        await wait(for: sibling.told)
        XCTAssertTrue(job.isExecuting)
        XCTAssertNil(job.outcome.map { "\($0)" })
        XCTAssertFalse(job.isCancelled)
        sibling.finish()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["failed bad"])
        XCTAssertEqual(job.error as? SampleError, bad)
    }

    func testFailureThatTheJobCarriesOnAfterIsDeliveredAsAnyTask() async throws {
        let job = ScriptedJob { job in
            job.trackAndQueue(InstantOperation("a", failure: self.bad))
            job.trackAndQueue(InstantOperation("b", failure: self.bad)) { task in
                job.log.record("closure \((task.error as? SampleError)?.text ?? "")")
            }
        }
        job.onFailure = { _, _ in .carryOn }
        try await job.run()
        XCTAssertEqual(
            job.events.sorted(),
            ["all", "closure bad", "failed a", "failed b", "group InstantOperation", "task a"]
        )
    }

    func testFirstFailureIsTheJobsError() async {
        let (first, second) = (
            HeldOperation("first"), HeldOperation("second", stopsWhenCancelled: false)
        )
        let job = ScriptedJob { job in
            job.trackAndQueue(first)
            job.trackAndQueue(second)
        }
        job.startJob()
        await wait(for: first.began)
        await wait(for: second.began)
        first.finish(with: bad)
        await wait(for: second.told)
        second.finish(with: SampleError("later"))
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["failed first"])
        XCTAssertEqual(job.error as? SampleError, bad)
    }

    func testFailureOfANestedJobIsAFailureOfATask() async {
        let job = ScriptedJob("outer") { job in
            let nested = ScriptedJob("nested", log: job.log) { nested in
                nested.trackAndQueue(InstantOperation("bad", failure: self.bad))
            }
            job.trackAndQueue(nested)
        }
        job.startJob()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["failed bad", "failed nested"])
        XCTAssertEqual(job.error as? SampleError, bad)
    }

    func testTaskCancelledByOtherCodeIsDeliveredAsFinished() async throws {
        let task = HeldOperation("a")
        let job = ScriptedJob { $0.trackAndQueue(task) }
        job.startJob()
        await wait(for: task.began)
        task.cancel()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["task a", "group HeldOperation", "all"])
        guard case .cancelled = task.outcome, case .succeeded = job.outcome else {
            return XCTFail("\(task.outcome as Any), \(job.outcome as Any)")
        }
    }

    func testFailureInMainIsReportedAfterMain() async {
        let job = ScriptedJob { job in
            let task = InstantOperation("bad", failure: self.bad)
            job.track(task)
            task.start()
            job.log.record("main returns")
        }
        job.startJob()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["main returns", "failed bad"])
    }

    func testJobThatFinishesWithAnErrorFails() async {
        // J9, O3
        let sibling = HeldOperation("sibling")
        let job = ScriptedJob { job in
            job.trackAndQueue(sibling)
            sibling.began.wait()
            job.finish(with: self.bad)
            job.finish()
            job.finish(with: SampleError("later"))
        }
        job.startJob()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, [])
        XCTAssertEqual(job.error as? SampleError, bad)
        let cancelled = ScriptedJob { $0.finish(with: CancellationError()) }
        cancelled.startJob()
        await bounded { await cancelled.waitForFinish() }
        guard case .cancelled = cancelled.outcome else { return XCTFail("not cancelled") }
        XCTAssertNil(cancelled.error)
    }
}
