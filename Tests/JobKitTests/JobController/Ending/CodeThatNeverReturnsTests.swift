import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// O11: jobs with code that does not return, or with tasks that do not return from `didCancel()`.
final class CodeThatNeverReturnsTests: XCTestCase {
    private let limit = StopLimit()

    func testJobWaitsForItsMainAfterItsTimeToStop() async {
        for callbackQueue in [nil, DispatchQueue(label: "callbacks")] {
            let limit = StopLimit()
            let (began, release, left) = (Gate(), Gate(), Gate())
            let job = ScriptedJob(callbackQueue: callbackQueue) { job in
                began.open()
                release.wait()
                // J8, O11: its code has no effect at this point.
                let late = InstantOperation("late")
                job.trackAndQueue(late)
                XCTAssertTrue(late.isCancelled)
                job.finish(with: SampleError())
                job.perform(after: .zero) { XCTFail("called") }
                left.open()
            }
            limit.set(on: job)
            job.startJob()
            await wait(for: began)
            job.cancel()
            await limit.passes()
            await eventually { job.shell.ask { $0.machine.hasLeftTasks } }
            XCTAssertFalse(job.isFinished)
            release.open()
            await wait(for: left)
            await bounded { await job.waitForFinish() }
            XCTAssertEqual(job.outcome?.text, "cancelled")
            XCTAssertFalse(job.isAbandoned)
            XCTAssertEqual(job.events, ["cancelled"])
        }
    }

    func testJobWaitsForItsCallbackAfterItsTimeToStop() async {
        typealias Stuck = @Sendable (ScriptedJob) -> Void
        let began = Guarded(Gate())
        let release = Guarded(Gate())
        let stuck: Stuck = { job in
            began.withLock { $0 }.open()
            release.withLock { $0 }.wait()
            job.trackAndQueue(InstantOperation("late"))
        }
        let setUps: [@Sendable (ScriptedJob) -> Void] = [
            { $0.onTask = { job, _ in stuck(job) } },
            { $0.onGroup = { job, _ in stuck(job) } },
            { $0.onAll = { stuck($0) } },
            { job in
                job.onFailure = { job, _ in
                    stuck(job)
                    return .carryOn
                }
            },
            { job in
                job.script = { job in
                    job.trackAndQueue(InstantOperation("closure")) { [unowned job] _ in stuck(job) }
                }
            },
        ]
        for setUp in setUps {
            began.withLock { $0 = Gate() }
            release.withLock { $0 = Gate() }
            weak var released: ScriptedJob?
            let waiting = HeldOperation("waiting", stopsWhenCancelled: false)
            do {
                let limit = StopLimit()
                let job = ScriptedJob { job in
                    job.trackAndQueue(waiting, cancellation: .cancelWithoutWaiting)
                    job.trackAndQueue(InstantOperation("ok"))
                    job.trackAndQueue(InstantOperation("no", failure: SampleError()))
                }
                job.onFailure = { _, _ in .carryOn }
                setUp(job)
                if job.onAll != nil { job.script = { $0.trackAndQueue(InstantOperation("ok")) } }
                let (books, collector) = books(of: job)
                limit.set(on: job)
                job.startJob()
                await wait(for: began.withLock { $0 })
                job.cancel()
                await limit.passes()
                await eventually { job.shell.ask { $0.machine.hasLeftTasks } }
                XCTAssertFalse(job.isFinished)
                release.withLock { $0 }.open()
                await bounded { await job.waitForFinish() }
                XCTAssertEqual(job.events.last, "cancelled")
                XCTAssertEqual(collector.log.events.last, "job finished")
                XCTAssertEqual(books.complaints, [])
                released = job
            }
            waiting.finish()
            await eventually { released == nil }
        }
    }

    func testJobWaitsForItsCallbackQueueAfterItsTimeToStop() async {
        let (release, blocked) = (Gate(), Gate())
        let callbacks = DispatchQueue(label: "callbacks")
        callbacks.async {
            blocked.open()
            release.wait()
        }
        await wait(for: blocked)
        let task = HeldOperation("early", stopsWhenCancelled: false)
        let job = limit.set(on: ScriptedJob(callbackQueue: callbacks))
        job.track(task)
        task.start()
        job.startJob()
        await eventually { job.isExecuting }
        job.cancel()
        await limit.passes()
        await eventually { job.shell.ask { $0.machine.hasLeftTasks } }
        XCTAssertFalse(job.isFinished)
        release.open()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, [])
        task.finish()
    }

    // J8: a job that was cancelled before its start waits for tasks that other code has started.
    func testJobThatNeverEnteredMainLeavesItsTasks() async {
        let task = HeldOperation("elsewhere", stopsWhenCancelled: false)
        let job = limit.set(on: ScriptedJob())
        job.track(task)
        task.start()
        job.cancel()
        job.startJob()
        await limit.passes()
        await waitForFinish(ofCancelled: job)
        XCTAssertEqual(job.events, [])
        task.finish()
    }

    // O5, J8: the cancelling thread is stuck in one task, but the other tasks must be cancelled.
    func testDidCancelThatNeverReturnsDoesNotKeepTheJobOpen() async {
        let release = Gate()
        let stuck = limit.set(
            on:
                ScriptedOperation("stuck", onCancel: { _ in release.wait() }, onMain: { _ in })
        )
        let others = (0..<4).map { HeldOperation("\($0)") }
        let inner = ScriptedJob("inner") { job in
            job.trackAndQueue(stuck)
            for task in others[..<2] { job.trackAndQueue(task) }
        }
        let outer = ScriptedJob("outer") { job in
            job.trackAndQueue(inner)
            for task in others[2...] { job.trackAndQueue(task) }
        }
        outer.startJob()
        for task in others { await wait(for: task.began) }
        await eventually { stuck.isExecuting }
        let returned = Gate()
        Thread.detachNewThread {
            outer.cancel()
            returned.open()
        }
        await limit.passes()
        for operation in [outer, inner] {
            await bounded { await operation.waitForFinish() }
        }
        for task in others { XCTAssertTrue(task.isFinished) }
        XCTAssertEqual(outer.events, ["cancelled"])
        release.open()
        await wait(for: returned)
    }

    func testJobWaitsForItsDidCancelAfterItsTimeToStop() async {
        let release = Gate()
        let task = HeldOperation("task")
        let job = limit.set(on: ScriptedJob { $0.trackAndQueue(task) })
        job.onDidCancel = { _ in release.wait() }
        job.startJob()
        await wait(for: task.began)
        let returned = Gate()
        Thread.detachNewThread {
            job.cancel()
            returned.open()
        }
        await limit.passes()
        // The tasks that it left were asked to stop.
        await bounded { await task.waitForFinish() }
        XCTAssertTrue(task.isCancelled)
        XCTAssertFalse(job.isFinished)
        release.open()
        await wait(for: returned)
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["cancelled"])
    }
}
