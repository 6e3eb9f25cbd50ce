import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

// R4
/// Asking changes nothing.
final class StallSideEffectTests: XCTestCase {
    /// A job that begins hands its tasks over itself, after it has offered its place to them: what
    /// asks meanwhile hands over none.
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
        // A change does not either: the one that begins has the line.
        job.isSuspended = true
        job.isSuspended = false
        XCTAssertEqual(queue.names, [])
        release.open()
        await fulfillment(of: [hasBegun], timeout: 300)
        XCTAssertEqual(queue.names, ["a.jpg"])
        job.cancel()
    }
}
