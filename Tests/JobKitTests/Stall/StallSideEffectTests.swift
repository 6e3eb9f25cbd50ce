import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

// R4
/// Calling `explainStall` has no side effects.
final class StallSideEffectTests: XCTestCase {
    /// A job that begins queues its tasks itself after offering its permit to them.
    ///
    /// A concurrent `explainStall` must queue none of them.
    func testExplainingWhileAJobStartsChangesNothing() async {
        let queue = IdleQueue()
        let job = ScriptedJob("import")
        let task = HeldOperation("a.jpg")
        job.trackAndQueue(task, on: queue)
        // The offer needs the task's lock.
        let (isHeld, release) = (Gate(), Gate())
        Thread.detachNewThread {
            task.hooks.withLock { _ in
                isHeld.open()
                release.wait()
            }
        }
        await isHeld.waitUntilOpen()
        let hasBegun = expectation(description: "begun")
        Thread.detachNewThread {
            job.start()
            hasBegun.fulfill()
        }
        await eventually { job.shell.ask { $0.machine.hasEnteredMain } }
        XCTAssertEqual(job.explainStall(limit: 0), "import: executing, in main()\n… and 1 more")
        XCTAssertEqual(job.snapshot(limit: 0).omittedCount, 1)
        XCTAssertEqual(job.progress.fractionCompleted, 0)
        XCTAssertFalse(job.isSuspended)
        XCTAssertEqual(job.trackedTasks, [task])
        // A change queues none either, because the job that begins processes the submission queue.
        job.isSuspended = true
        job.isSuspended = false
        XCTAssertEqual(queue.names, [])
        release.open()
        await fulfillment(of: [hasBegun], timeout: 300)
        XCTAssertEqual(queue.names, ["a.jpg"])
        job.cancel()
    }
}
