import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// O11: jobs whose own code, or whose tasks' `didCancel()`, does not return.
final class CodeThatNeverReturnsTests: XCTestCase {
    private let limit = StopLimit()

    func testJobWhoseMainNeverReturnsIsGivenUp() async {
        for callbackQueue in [nil, DispatchQueue(label: "callbacks")] {
            let limit = StopLimit()
            let (began, release, left) = (Gate(), Gate(), Gate())
            let job = ScriptedJob(callbackQueue: callbackQueue) { job in
                began.open()
                release.wait()
                // J13, O11: what its code goes on to do is ignored.
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
            await bounded { await job.waitForFinish() }
            XCTAssertEqual(job.outcome?.text, "cancelled")
            release.open()
            await wait(for: left)
            XCTAssertEqual(job.events, [])
        }
    }

    func testJobWhoseCallbackNeverReturnsIsGivenUpAndReleased() async {
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
                await bounded { await job.waitForFinish() }
                XCTAssertTrue(job.isAbandoned)
                XCTAssertEqual(collector.log.events.last, "job finished")
                release.withLock { $0 }.open()
                XCTAssertEqual(books.complaints, [])
                released = job
            }
            waiting.finish()
            await eventually { released == nil }
        }
    }

    func testJobThatWaitsForItsCallbackQueueIsGivenUp() async {
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
        await bounded { await job.waitForFinish() }
        release.open()
        let drained = expectation(description: "drained")
        callbacks.async { drained.fulfill() }
        await fulfillment(of: [drained], timeout: 300)
        XCTAssertEqual(job.events, [])
        task.finish()
    }

    // J8: a job that was cancelled before its start waits for what other code has started.
    func testJobThatNeverEnteredMainIsGivenUp() async {
        let task = HeldOperation("elsewhere", stopsWhenCancelled: false)
        let job = limit.set(on: ScriptedJob())
        job.track(task)
        task.start()
        job.cancel()
        XCTAssertNil(limit.clock.nextDeadline)
        job.startJob()
        await limit.passes()
        await waitForFinish(ofCancelled: job)
        XCTAssertTrue(job.isAbandoned)
        XCTAssertEqual(job.events, [])
        task.finish()
    }

    // O5, J8: the thread that cancels is stuck in one task, and the others must be told.
    func testTaskWhoseDidCancelNeverReturnsKeepsNoJobOpen() async {
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

    func testJobWhoseOwnDidCancelNeverReturnsIsGivenUp() async {
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
        await bounded { await job.waitForFinish() }
        // What it left was told to stop.
        await bounded { await task.waitForFinish() }
        XCTAssertTrue(task.isCancelled)
        release.open()
        await wait(for: returned)
    }
}
