import Foundation
import JobKit
import JobKitTesting
import XCTest

// J14
final class JobSuspensionTests: XCTestCase {
    func testSuspendedJobEntersMainAndQueuesNoTask() async {
        let idle = IdleQueue()
        let entered = Gate()
        let job = ScriptedJob(queue: idle) { job in
            for index in 0..<3 { job.trackAndQueue(InstantOperation("\(index)")) }
            entered.open()
        }
        job.isSuspended = true
        job.startJob()
        await wait(for: entered)
        XCTAssertEqual(idle.names, [])
        job.isSuspended = false
        XCTAssertEqual(idle.names, ["0", "1", "2"])
        job.cancel()
        await bounded { await job.waitForFinish() }
    }

    func testTaskInItsQueueContinuesAndIsDeliveredAfterResuming() async {
        let task = HeldOperation("a")
        let job = ScriptedJob { $0.trackAndQueue(task) }
        job.startJob()
        await wait(for: task.began)
        job.isSuspended = true
        task.finish()
        await bounded { await task.waitForFinish() }
        XCTAssertEqual(job.events, [])
        XCTAssertTrue(job.isExecuting)
        job.isSuspended = false
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["task a", "group HeldOperation", "all"])
    }

    func testSuspensionInEachCallbackStopsBeforeTheNext() async {
        // This is also true between the callbacks of one task.
        let all = ["failed a", "task a", "group InstantOperation", "all"]
        for (index, phase) in all.enumerated() {
            let (inside, goOn) = (Gate(), Gate())
            let job = ScriptedJob { job in
                job.trackAndQueue(InstantOperation("a", failure: SampleError("a")))
            }
            func suspend(_ job: ScriptedJob) {
                guard job.events.last == phase else { return }
                job.isSuspended = true
                inside.open()
                goOn.wait()
            }
            job.onFailure = { job, _ in
                suspend(job)
                return .carryOn
            }
            job.onTask = { job, _ in suspend(job) }
            job.onGroup = { job, _ in suspend(job) }
            job.onAll = { job in suspend(job) }
            job.startJob()
            await wait(for: inside)
            goOn.open()
            XCTAssertEqual(job.events, Array(all[...index]))
            XCTAssertFalse(job.isFinished)
            job.isSuspended = false
            await bounded { await job.waitForFinish() }
            XCTAssertEqual(job.events, all)
        }
    }

    func testSuspensionOfFailingJobKeepsTheFailure() async {
        let task = HeldOperation("a")
        let job = ScriptedJob { $0.trackAndQueue(task) }
        job.startJob()
        await wait(for: task.began)
        job.isSuspended = true
        task.finish(with: SampleError("a"))
        XCTAssertEqual(job.events, [])
        job.isSuspended = false
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["failed a"])
    }

    func testNothingIsLostWhenManyThreadsSuspendAndResume() async {
        let job = ScriptedJob { job in
            for index in 0..<500 { job.trackAndQueue(InstantOperation("\(index)")) }
        }
        job.startJob()
        await runOnThreads(3) { _ in
            for _ in 0..<200 {
                job.isSuspended = true
                job.isSuspended = false
            }
        }
        job.isSuspended = false
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events.filter { $0.hasPrefix("task") }.count, 500)
        XCTAssertEqual(job.events.last, "all")
    }
}
