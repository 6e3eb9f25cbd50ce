import Foundation
import JobKit
import JobKitTesting
import XCTest

// O8
final class JobTimeTests: XCTestCase {
    func testTimeoutFailsTheJobAfterItsTasksHaveStoppedWithoutACallback() async {
        let clock = ManualClock()
        let task = HeldOperation("a", stopsWhenCancelled: false)
        let job = ScriptedJob { $0.trackAndQueue(task) }
        job.clock = clock
        job.maximumRuntime = .seconds(3)
        job.onDidCancel = { $0.log.record("didCancel") }
        job.startJob()
        await wait(for: task.began)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(3))
        await wait(for: task.told)
        XCTAssertTrue(job.isCancelled)
        XCTAssertTrue(job.isExecuting)
        job.cancel()
        job.finish()
        job.finish(with: SampleError("late"))
        task.finish()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["didCancel"])
        XCTAssertEqual((job.error as? OperationTimeoutError)?.limit, .seconds(3))
    }

    func testCancelledJobDoesNotTimeOut() async {
        let clock = ManualClock()
        let task = HeldOperation("a", stopsWhenCancelled: false)
        let job = ScriptedJob { $0.trackAndQueue(task) }
        job.clock = clock
        job.maximumRuntime = .seconds(3)
        job.startJob()
        await wait(for: task.began)
        await clock.waitForSleepers()
        job.cancel()
        clock.advance(by: .seconds(3))
        task.finish()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["cancelled"])
        guard case .cancelled = job.outcome else { return XCTFail("not cancelled") }
    }

    func testTimeoutReachesTasksOfNestedJobs() async {
        let clock = ManualClock()
        let task = HeldOperation("a")
        let nested = ScriptedJob("nested") { $0.trackAndQueue(task) }
        let job = ScriptedJob { $0.trackAndQueue(nested) }
        job.clock = clock
        job.maximumRuntime = .seconds(1)
        job.startJob()
        await wait(for: task.began)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        for operation in [job, nested, task] {
            await bounded { await operation.waitForFinish() }
        }
        XCTAssertTrue(task.isCancelled)
        XCTAssertEqual(nested.events, ["cancelled"])
        XCTAssertTrue(job.error is OperationTimeoutError)
    }

    func testDelayedCallbackIsDroppedWhenTheJobEnds() async {
        let clock = ManualClock()
        let task = HeldOperation("a", stopsWhenCancelled: false)
        let job = ScriptedJob { job in
            job.perform(after: .seconds(1)) { job.log.record("delayed") }
            job.trackAndQueue(task)
        }
        job.clock = clock
        job.startJob()
        await wait(for: task.began)
        await clock.waitForSleepers()
        job.cancel()
        clock.advance(by: .seconds(1))
        task.finish()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["cancelled"])
        XCTAssertNil(clock.nextDeadline)
    }

    func testDelayedCallbackWaitsForTheJobToBeResumed() async {
        // J14
        let clock = ManualClock()
        let task = HeldOperation("a")
        let job = ScriptedJob { job in
            job.isSuspended = true
            job.perform(after: .seconds(1)) {
                job.log.record(job.isSuspended ? "suspended" : "resumed")
                task.finish()
            }
        }
        job.clock = clock
        job.track(task)
        job.startJob()
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        task.start()
        job.isSuspended = false
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events.first, "resumed")
    }
}
