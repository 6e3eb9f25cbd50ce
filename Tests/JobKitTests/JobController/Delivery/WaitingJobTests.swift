import Foundation
import JobKit
import JobKitTesting
import XCTest

// J11
final class WaitingJobTests: XCTestCase {
    /// Waiting jobs hold no thread, so more can wait than there are threads for blocked work.
    func testJobsThatWaitHoldNoThread() async {
        for runner in [TaskQueue() as any OperationScheduling, OperationQueue()] {
            let held = (0..<500).map { HeldOperation("\($0)") }
            let jobs = held.map { task in ScriptedJob { $0.trackAndQueue(task) } }
            for job in jobs { job.startJob(on: runner) }
            for task in held { await wait(for: task.began) }
            XCTAssertTrue(jobs.allSatisfy(\.isExecuting))
            let last = ScriptedJob(queue: runner) { $0.trackAndQueue(InstantOperation("task")) }
            last.startJob(on: runner)
            await bounded { await last.waitForFinish() }
            for task in held { task.finish() }
            for job in jobs { await bounded { await job.waitForFinish() } }
        }
    }
}
