import JobKit
import JobKitTesting
import XCTest

/// O11, J8: a job's time to stop passes before the cancelling thread has reached all its tasks.
final class StopTimeHeldTasksTests: XCTestCase {
    private let clock = ManualClock()

    /// Cancels a job with a task that does not return from `didCancel()`, and lets its time to stop
    /// pass.
    ///
    /// - Parameter tasks: Tracks more tasks, which wait behind the first, because only one task of
    ///   the group may be in its queue.
    private func stop(_ tasks: @escaping (ScriptedJob) -> Void) async {
        let (began, tracked, release) = (Gate(), Gate(), Gate())
        let stuck = ScriptedOperation(
            "stuck",
            onCancel: { _ in release.wait() },
            onMain: { _ in began.open() }
        )
        let job = ScriptedJob { job in
            job.setMaxConcurrentOperationCount(1, for: .named("group"))
            job.trackAndQueue(stuck, group: .named("group"))
            tasks(job)
            tracked.open()
        }
        job.clock = clock
        job.maximumStopTime = .seconds(5)
        job.setContext { body in Trace.$id.withValue("a") { body() } }
        job.startJob()
        // `didCancel()` is not called for a task that is cancelled before its main().
        await wait(for: began)
        await wait(for: tracked)
        let returned = Gate()
        Thread.detachNewThread {
            job.cancel()
            returned.open()
        }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        await bounded { await job.waitForFinish() }
        release.open()
        await wait(for: returned)
        stuck.finish()
    }

    func testDeferredTaskLeftRunningIsEnqueued() async {
        let left = InstantOperation("left")
        await stop { job in
            job.trackAndQueue(left, group: .named("group"), cancellation: .leaveRunning)
        }
        await bounded { await left.waitForFinish() }
        XCTAssertEqual(left.outcome?.text, "succeeded")
    }

    func testDeferredTasksLeftRunningStartInsideTheContext() async {
        let log = EventLog()
        let (operation, block) = (
            ClosureOperation { log.record("operation in \(Trace.id)") },
            BlockOperation { log.record("block in \(Trace.id)") }
        )
        await stop { job in
            for task in [operation, block] {
                job.trackAndQueue(task, group: .named("group"), cancellation: .leaveRunning)
            }
        }
        await eventually { operation.isFinished && block.isFinished }
        XCTAssertEqual(Set(log.events), ["operation in a", "block in a"])
    }

    func testDeferredTaskEndsCancelledForItsDependents() async {
        let held = InstantOperation("held")
        let after = InstantOperation("after")
        after.addDependency(held)
        await stop { job in
            job.trackAndQueue(held, group: .named("group"))
        }
        TaskQueue.shared.addOperation(after)
        for operation in [held, after] {
            await bounded { await operation.waitForFinish() }
        }
        XCTAssertEqual(held.outcome?.text, "cancelled")
        XCTAssertEqual(after.outcome?.text, "succeeded")
    }
}
