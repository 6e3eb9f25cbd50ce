import Foundation
import JobKit
import JobKitTesting
import XCTest

// J8, TaskCancellation
final class ChildCancellationTests: XCTestCase {
    private func held(_ name: String) -> HeldOperation {
        HeldOperation(name, stopsWhenCancelled: false)
    }

    func testTaskCancelledWithoutWaitingIsCancelledAndNotAwaited() async {
        let task = held("a")
        let job = ScriptedJob { $0.trackAndQueue(task, cancellation: .cancelWithoutWaiting) }
        job.startJob()
        await wait(for: task.began)
        job.cancel()
        await bounded { await job.waitForFinish() }
        XCTAssertTrue(task.told.isOpen)
        XCTAssertTrue(task.isExecuting)
        XCTAssertEqual(job.events, ["cancelled"])
        task.finish()
    }

    func testTaskLeftRunningIsNeitherCancelledNorAwaited() async {
        let task = held("a")
        let job = ScriptedJob { $0.trackAndQueue(task, cancellation: .leaveRunning) }
        job.startJob()
        await wait(for: task.began)
        job.cancel()
        await bounded { await job.waitForFinish() }
        XCTAssertFalse(task.isCancelled)
        XCTAssertTrue(task.isExecuting)
        task.finish()
        await bounded { await task.waitForFinish() }
        guard case .succeeded = task.outcome else { return XCTFail("not succeeded") }
    }

    func testDeferredTaskLeftRunningRuns() async {
        // Held back by the limit of its group, and by the suspension of its job.
        let (first, second) = (held("first"), InstantOperation("second"))
        let job = ScriptedJob { job in
            job.setMaxConcurrentOperationCount(1, for: .named("g"))
            job.trackAndQueue(first, group: .named("g"))
            job.trackAndQueue(second, group: .named("g"), cancellation: .leaveRunning)
        }
        job.startJob()
        await wait(for: first.began)
        job.cancel()
        await bounded { await second.waitForFinish() }
        first.finish()
        await bounded { await job.waitForFinish() }
        guard case .succeeded = second.outcome else { return XCTFail("not succeeded") }
    }

    func testFailureAndEarlyFinishCancelEachChildAsItWasTracked() async {
        for fails in [true, false] {
            let tasks = [held("wait"), held("told"), held("left")]
            let kinds: [TaskCancellation] = [.cancelAndWait, .cancelWithoutWaiting, .leaveRunning]
            let job = ScriptedJob { job in
                for (task, kind) in zip(tasks, kinds) {
                    job.trackAndQueue(task, cancellation: kind)
                }
                for task in tasks { task.began.wait() }
                if fails { job.finish(with: SampleError("end")) } else { job.finish() }
            }
            job.startJob()
            await wait(for: tasks[0].told)
            XCTAssertFalse(job.isFinished)
            tasks[0].finish()
            await bounded { await job.waitForFinish() }
            XCTAssertEqual(tasks.map(\.isCancelled), [true, true, false])
            XCTAssertEqual(tasks.map(\.isFinished), [true, false, false])
            for task in tasks { task.finish() }
        }
    }

    func testTaskTrackedAfterTheCancelIsTreatedAsItWasTracked() async {
        let (told, left) = (InstantOperation("told"), InstantOperation("left"))
        let job = ScriptedJob { job in
            job.cancel()
            job.trackAndQueue(told, cancellation: .cancelWithoutWaiting)
            job.trackAndQueue(left, cancellation: .leaveRunning)
        }
        job.startJob()
        for operation in [job, told, left] {
            await bounded { await operation.waitForFinish() }
        }
        guard case .cancelled = told.outcome, case .succeeded = left.outcome else {
            return XCTFail("\(told.outcome as Any), \(left.outcome as Any)")
        }
    }

    /// Adds operations to a task queue, but blocks the thread that adds a certain one.
    private final class GatedQueue: OperationScheduling {
        let queue = TaskQueue()
        let entered = Gate()
        let passage = Gate()
        let name: String

        init(holdingUp name: String) { self.name = name }

        func addOperation(_ operation: Operation) {
            if operation.name == name {
                entered.open()
                passage.wait()
            }
            queue.addOperation(operation)
        }
    }

    func testTaskLeftRunningReachesItsQueueAfterTheJobHasFinished() async {
        let queue = GatedQueue(holdingUp: "b")
        let (first, second, third) = (HeldOperation("a"), HeldOperation("b"), HeldOperation("c"))
        let tracked = Gate()
        let job = ScriptedJob(queue: queue) { job in
            job.setMaxConcurrentOperationCount(1, for: .named("g"))
            job.trackAndQueue(first, group: .named("g"))
            job.trackAndQueue(second, group: .named("g"), cancellation: .leaveRunning)
            job.trackAndQueue(third, group: .named("g"), cancellation: .leaveRunning)
            tracked.open()
        }
        job.startJob()
        // Otherwise the job's own main() would add the second task, and be blocked.
        await wait(for: tracked)
        await wait(for: first.began)
        Thread.detachNewThread { first.finish() }
        await wait(for: queue.entered)
        job.cancel()
        await bounded { await job.waitForFinish() }
        queue.passage.open()
        for task in [second, third] {
            await wait(for: task.began)
            task.finish()
        }
    }
}
