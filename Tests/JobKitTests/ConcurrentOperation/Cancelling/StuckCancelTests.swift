import Foundation
import JobKit
import JobKitTesting
import XCTest

/// Q7: user code of a cancellation that does not return blocks nothing else.
final class StuckCancelTests: XCTestCase {
    private let release = Gate()

    /// Returns an executing operation that is stuck in its `didCancel()`.
    private func stuckOperation() -> ScriptedOperation {
        let release = release
        return ScriptedOperation(
            "stuck",
            onCancel: { operation in
                release.wait()
                operation.finish()
            },
            onMain: { _ in }
        )
    }

    func testQueueCancelsTheOthers() async {
        let queue = TaskQueue()
        let (stuck, other) = (stuckOperation(), HeldOperation("other"))
        let waiting = ClosureOperation { XCTFail("main() was entered") }
        waiting.addDependency(other)
        queue.addOperations([stuck, other, waiting])
        await wait(for: other.began)
        await eventually { stuck.isExecuting }
        let returned = Gate()
        Thread.detachNewThread {
            queue.cancelAllOperations()
            returned.open()
        }
        await bounded { await other.waitForFinish() }
        await bounded { await waiting.waitForFinish() }
        release.open()
        await wait(for: returned)
        await bounded { await queue.waitForAllOperations() }
    }

    func testTwoOperationsThatAreStuckStopNoOthers() async {
        let queue = TaskQueue()
        let stuck = [stuckOperation(), stuckOperation()]
        let other = HeldOperation("other")
        queue.addOperations(stuck + [other])
        await wait(for: other.began)
        await eventually { stuck.allSatisfy(\.isExecuting) }
        Thread.detachNewThread { queue.cancelAllOperations() }
        await bounded { await other.waitForFinish() }
        release.open()
        await bounded { await queue.waitForAllOperations() }
    }

    func testJobCancelsTheOthersHoweverItEnds() async {
        let ends: [@Sendable (ScriptedJob, HeldOperation) -> Void] = [
            { job, _ in job.cancel() },
            { job, _ in job.finish() },
            { _, task in task.finish(with: SampleError()) },
        ]
        for end in ends {
            let release = Gate()
            let stuck = ScriptedOperation(
                "stuck",
                onCancel: { _ in release.wait() },
                onMain: { _ in }
            )
            stuck.maximumStopTime = .milliseconds(1)
            let (fails, other) = (
                HeldOperation("fails", stopsWhenCancelled: false), HeldOperation("other")
            )
            let job = ScriptedJob { job in
                for task in [stuck, fails, other] { job.trackAndQueue(task) }
            }
            job.startJob()
            for task in [fails, other] { await wait(for: task.began) }
            await eventually { stuck.isExecuting }
            Thread.detachNewThread { end(job, fails) }
            await bounded { await other.waitForFinish() }
            fails.finish()
            // The stuck operation is abandoned (O11).
            await bounded { await job.waitForFinish() }
            release.open()
        }
    }

    func testJobWhoseOwnDidCancelIsStuckCancelsItsTasks() async {
        let task = HeldOperation("task")
        let job = ScriptedJob { $0.trackAndQueue(task) }
        let release = release
        job.onDidCancel = { _ in release.wait() }
        job.startJob()
        await wait(for: task.began)
        Thread.detachNewThread { job.cancel() }
        await bounded { await task.waitForFinish() }
        XCTAssertFalse(job.isFinished)
        release.open()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["cancelled"])
    }
}
