import Foundation
import JobKit
import JobKitTesting
import XCTest

// J4
final class JobFinishTests: XCTestCase {
    func testJobWithoutTasksHasOneCallbackAndFinishes() async throws {
        let job = ScriptedJob()
        try await job.run()
        XCTAssertEqual(job.events, ["all"])
        guard case .succeeded = job.outcome else { return XCTFail("\(job.outcome as Any)") }
    }

    func testJobIsExecutingBetweenItsSteps() async {
        let steps = [HeldOperation("0"), HeldOperation("1")]
        let job = ScriptedJob { $0.trackAndQueue(steps[0]) }
        job.onAll = { job in if job.events.count == 3 { job.trackAndQueue(steps[1]) } }
        job.startJob()
        for step in steps {
            await wait(for: step.began)
            XCTAssertTrue(job.isExecuting)
            XCTAssertFalse(job.isFinished)
            XCTAssertEqual(job.trackedTasks.map(\.name), [step.name])
            step.finish()
        }
        await bounded { await job.waitForFinish() }
        XCTAssertFalse(job.isExecuting)
        XCTAssertEqual(job.trackedTasks, [])
    }

    func testJobWorksOnEveryKindOfQueueAndByStartAlone() async {
        for queue: any OperationScheduling in [TaskQueue(), OperationQueue(), InlineQueue()] {
            let job = ScriptedJob { job in
                job.trackAndQueue(InstantOperation("a"))
                job.trackAndQueue(BlockOperation {}, on: OperationQueue()) { _ in }
            }
            job.startJob(on: queue)
            await bounded { await job.waitForFinish() }
            XCTAssertEqual(job.events.last, "all")
        }
    }

    func testTasksTrackedBeforeTheStartBelongToTheJob() async {
        let job = ScriptedJob()
        job.trackAndQueue(InstantOperation("early"))
        job.startJob()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["task early", "group InstantOperation", "all"])
    }

    func testFinishedJobReleasesItsDependents() async {
        let held = HeldOperation("held")
        let job = ScriptedJob { $0.trackAndQueue(held) }
        let after = BlockOperation { job.log.record("after") }
        after.addDependency(job)
        OperationQueue().addOperation(after)
        job.startJob()
        await wait(for: held.began)
        held.finish()
        await bounded { await after.waitForFinish() }
        XCTAssertEqual(job.events.suffix(2), ["all", "after"])
    }
}
