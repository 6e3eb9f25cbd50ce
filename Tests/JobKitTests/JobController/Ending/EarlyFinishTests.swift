import Foundation
import JobKit
import JobKitTesting
import XCTest

// J9
final class EarlyFinishTests: XCTestCase {
    func testFinishInACallbackCancelsTheRestWithoutFurtherCallbacks() async {
        let rest = HeldOperation("rest", stopsWhenCancelled: false)
        let job = ScriptedJob { job in
            job.trackAndQueue(rest)
            rest.began.wait()
            job.trackAndQueue(InstantOperation("a"))
        }
        job.onTask = { job, _ in job.finish() }
        job.startJob()
        await wait(for: rest.told)
        XCTAssertFalse(job.isFinished)
        rest.finish()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["task a"])
        XCTAssertFalse(job.isCancelled)
        guard case .succeeded = job.outcome else { return XCTFail("not succeeded") }
    }

    func testFinishInMainWaitsForMainToReturn() async {
        let job = ScriptedJob { job in
            job.finish()
            job.log.record(job.isFinished ? "finished" : "executing")
        }
        job.startJob()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["executing"])
    }

    func testFinishFromAnotherThreadInMain() async {
        let job = ScriptedJob { job in
            let finished = Gate()
            Thread.detachNewThread {
                job.finish()
                finished.open()
            }
            finished.wait()
            job.log.record(job.isFinished ? "finished" : "executing")
        }
        job.startJob()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["executing"])
    }
}
