import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

// J17
final class SharedTaskTests: XCTestCase {
    private func job(_ name: String, tracking task: Operation) -> ScriptedJob {
        let job = ScriptedJob(name) { $0.track(task) }
        job.start()
        return job
    }

    func testJobThatEndsLeavesATaskThatAnotherTracks() async {
        let ends: [(ScriptedJob) -> Void] = [
            { $0.cancel() }, { $0.finish(with: SampleError("end")) }, { $0.finish() },
        ]
        for end in ends {
            let task = HeldOperation("task")
            task.start()
            let (first, second) = (job("first", tracking: task), job("second", tracking: task))
            end(first)
            // The job does not wait for the task, just as for a task that is left running.
            await bounded { await first.waitForFinish() }
            XCTAssertFalse(task.isCancelled)
            XCTAssertFalse(task.isFinished)
            task.finish()
            await bounded { await second.waitForFinish() }
            XCTAssertEqual(second.events, ["task task", "group HeldOperation", "all"])
        }
    }

    func testLastJobThatEndsCancelsTheTaskAndWaitsForIt() async {
        let task = HeldOperation("task", stopsWhenCancelled: false)
        task.start()
        let jobs = (0..<5).map { job("\($0)", tracking: task) }
        // The order is neither that of the tracking nor its reverse.
        for index in [2, 0, 4, 1] {
            jobs[index].cancel()
            await bounded { await jobs[index].waitForFinish() }
            XCTAssertFalse(task.isCancelled)
        }
        jobs[3].cancel()
        XCTAssertTrue(task.isCancelled)
        XCTAssertFalse(jobs[3].isFinished)
        task.finish()
        await bounded { await jobs[3].waitForFinish() }
    }

    func testPlainTaskIsSharedToo() async {
        let task = UserOperation("task", isHeld: true)
        task.start()
        let (first, second) = (job("first", tracking: task), job("second", tracking: task))
        first.cancel()
        await bounded { await first.waitForFinish() }
        XCTAssertFalse(task.isCancelled)
        second.cancel()
        XCTAssertTrue(task.isCancelled)
        task.complete()
        await bounded { await second.waitForFinish() }
    }

    func testDeferredTaskOfAnEndedJobIsEnqueuedByTheOtherJob() async {
        let task = InstantOperation("task")
        let first = ScriptedJob("first") { job in
            job.isSuspended = true
            job.trackAndQueue(task)
        }
        first.start()
        let second = job("second", tracking: task)
        first.cancel()
        for operation in [first, second] {
            await bounded { await operation.waitForFinish() }
        }
        XCTAssertEqual(second.events.first, "task task")
        guard case .succeeded = task.outcome else { return XCTFail("not succeeded") }
    }

    func testTaskOfAJobAndOfOneNestedInItIsCancelledWithBoth() async {
        for isInnerFirst in [true, false] {
            let task = HeldOperation("task")
            task.start()
            let inner = ScriptedJob("inner") { $0.track(task) }
            let outer = ScriptedJob("outer") { job in
                if isInnerFirst { job.track(inner) }
                job.track(task)
                if !isInnerFirst { job.track(inner) }
            }
            outer.start()
            inner.start()
            outer.cancel()
            XCTAssertTrue(task.isCancelled)
            for operation in [outer, inner] {
                await bounded { await operation.waitForFinish() }
            }
        }
    }

    func testDeliveredTaskOfACompletedJobCountsForNothing() async {
        let (task, other) = (HeldOperation("task"), InstantOperation("other"))
        task.start()
        let completed = job("completed", tracking: other)
        other.start()
        await bounded { await completed.waitForFinish() }
        let trackAndLetGo = { ScriptedJob("released").track(task) }
        trackAndLetGo()
        let last = job("last", tracking: task)
        last.cancel()
        XCTAssertTrue(task.isCancelled)
        await bounded { await last.waitForFinish() }
    }

    func testTaskOfThousandsOfJobsIsLeftInLinearTimeAndForgetsThem() async {
        let task = HeldOperation("task")
        task.start()
        weak var shell: JobShell?
        do {
            let count = length(of: 20_000)
            let jobs = (0..<count).map { job("\($0)", tracking: task) }
            shell = jobs[count / 2].shell
            for job in jobs.dropLast() { job.cancel() }
            XCTAssertFalse(task.isCancelled)
            jobs[count - 1].cancel()
            XCTAssertTrue(task.isCancelled)
            for operation in [jobs[0], jobs[count / 2], jobs[count - 1]] {
                await bounded { await operation.waitForFinish() }
            }
        }
        await eventually { shell == nil }
    }

    func testTaskThatOutlivesItsJobsForgetsThemBeforeItFinishes() async {
        let task = HeldOperation("task")
        task.start()
        let other = job("other", tracking: task)
        weak var shell: JobShell?
        do {
            let ended = job("ended", tracking: task)
            shell = ended.shell
            ended.cancel()
            await bounded { await ended.waitForFinish() }
        }
        await eventually { shell == nil }
        task.finish()
        await bounded { await other.waitForFinish() }
    }
}
