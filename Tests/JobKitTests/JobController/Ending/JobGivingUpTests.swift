import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// O11: jobs that were told to stop and whose tasks or code do not.
final class JobGivingUpTests: XCTestCase {
    private let clock = ManualClock()

    private func limited<Limited: ConcurrentOperation>(_ operation: Limited) -> Limited {
        operation.clock = clock
        operation.maximumStopTime = .seconds(5)
        return operation
    }

    private func deaf(_ name: String) -> HeldOperation {
        HeldOperation(name, stopsWhenCancelled: false)
    }

    /// Lets the time pass that a number of operations have to stop.
    private func timePasses(of count: Int = 1) async {
        await clock.waitForSleepers(count)
        clock.advance(by: .seconds(5))
    }

    func testGivenUpTaskIsDeliveredAndTheJobGoesOn() async {
        let task = limited(deaf("stuck"))
        let job = ScriptedJob { job in
            job.trackAndQueue(task) { task in
                job.log.record("\(task.outcome?.text ?? "") \(task.isGivenUp)")
                job.trackAndQueue(InstantOperation("next"))
            }
        }
        let (books, collector) = books(of: job)
        job.startJob()
        await wait(for: task.began)
        task.cancel()
        await timePasses()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(
            job.events,
            ["cancelled true", "group HeldOperation", "task next", "group InstantOperation", "all"]
        )
        let ends = collector.events.filter { $0.kind == .finished }
        XCTAssertEqual(ends.map(\.isGivenUp), [true, false, false])
        XCTAssertEqual(books.complaints, [])
    }

    func testOverrunTaskThatIsGivenUpHasFailed() async {
        let task = limited(deaf("stuck"))
        task.maximumRuntime = .seconds(1)
        let job = ScriptedJob { $0.trackAndQueue(task) }
        job.onFailure = { _, _ in .carryOn }
        job.startJob()
        await wait(for: task.began)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        await wait(for: task.told)
        await timePasses()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events.prefix(2), ["failed stuck", "task stuck"])
        XCTAssertEqual(job.outcome?.text, "succeeded")
    }

    func testGivenUpJobLeavesItsTasksAndCallsNothingMore() async {
        let tasks = (0..<3).map { deaf("\($0)") }
        let job = limited(ScriptedJob { job in for task in tasks { job.trackAndQueue(task) } })
        let (books, collector) = books(of: job)
        job.startJob()
        for task in tasks { await wait(for: task.began) }
        job.cancel()
        await timePasses()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.outcome?.text, "cancelled")
        XCTAssertEqual(job.events, [])
        XCTAssertEqual(job.trackedTasks, [])
        XCTAssertTrue(job.isGivenUp)
        // R4
        XCTAssertEqual(job.explainStall(), "job: finished, given up, leaving 0, 1, 2")
        for task in tasks {
            XCTAssertTrue(task.isExecuting)
            XCTAssertEqual(collector.kinds(of: task.label), [.tracked, .started, .dropped])
            task.finish()
        }
        XCTAssertEqual(collector.log.events.last, "job finished")
        XCTAssertEqual(collector.events.last?.isGivenUp, true)
        XCTAssertEqual(books.complaints, [])
        XCTAssertEqual(job.events, [])
    }

    func testOverrunJobIsGivenUpAsTimedOut() async {
        let task = deaf("stuck")
        let job = limited(ScriptedJob { $0.trackAndQueue(task) })
        job.maximumRuntime = .seconds(1)
        job.startJob()
        await wait(for: task.began)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        await wait(for: task.told)
        await timePasses()
        await bounded { await job.waitForFinish() }
        XCTAssertTrue(job.error is OperationTimedOut)
        task.finish()
    }

    // O11: a job that has failed and is then told to stop ends as it had failed.
    func testJobThatHasFailedIsGivenUpAfterACancel() async {
        let (task, fails) = (deaf("stuck"), HeldOperation("fails"))
        let job = limited(ScriptedJob { for task in [task, fails] { $0.trackAndQueue(task) } })
        job.startJob()
        await wait(for: task.began)
        fails.finish(with: SampleError())
        await wait(for: task.told)
        XCTAssertNil(clock.nextDeadline)
        job.cancel()
        await timePasses()
        await bounded { await job.waitForFinish() }
        XCTAssertTrue(job.error is SampleError)
        XCTAssertEqual(job.events, ["failed fails"])
        task.finish()
    }

    func testJobAboveAGivenUpJobGoesOnInAQueueOfWidthOne() async {
        let queue = TaskQueue(name: "narrow", maxConcurrentOperationCount: 1)
        let stuck = deaf("stuck")
        let inner = limited(ScriptedJob("inner", queue: queue) { $0.trackAndQueue(stuck) })
        let outer = ScriptedJob("outer", queue: queue) { job in
            job.trackAndQueue(inner)
            job.trackAndQueue(InstantOperation("next"))
        }
        let (books, _) = books(of: outer)
        outer.startJob(on: queue)
        await wait(for: stuck.began)
        inner.cancel()
        await timePasses()
        // What was left keeps the place that it borrowed.
        stuck.finish()
        await bounded { await outer.waitForFinish() }
        XCTAssertTrue(Set(outer.events).isSuperset(of: ["task inner", "task next", "all"]))
        XCTAssertEqual(books.complaints, [])
        await drain(queue)
    }

    func testDeepJobsThatAreAllCancelledGoOnWhenTheInnermostIsGivenUp() async {
        let stuck = deaf("stuck")
        var job = limited(ScriptedJob("0") { $0.trackAndQueue(stuck) })
        for depth in 1...20 {
            let inner = job
            job = ScriptedJob("\(depth)") { $0.trackAndQueue(inner) }
        }
        job.startJob()
        await wait(for: stuck.began)
        job.cancel()
        await timePasses()
        await bounded { [job] in await job.waitForFinish() }
        XCTAssertEqual(job.events, ["cancelled"])
        stuck.finish()
    }

    func testJobWhoseMainNeverReturnsIsGivenUp() async {
        for callbackQueue in [nil, DispatchQueue(label: "callbacks")] {
            let clock = ManualClock()
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
            job.clock = clock
            job.maximumStopTime = .seconds(5)
            job.startJob()
            await wait(for: began)
            job.cancel()
            await clock.waitForSleepers()
            clock.advance(by: .seconds(5))
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
            let waiting = deaf("waiting")
            do {
                let clock = ManualClock()
                let job = ScriptedJob { job in
                    job.trackAndQueue(waiting, cancellation: .cancelWithoutWaiting)
                    job.trackAndQueue(InstantOperation("ok"))
                    job.trackAndQueue(InstantOperation("no", failure: SampleError()))
                }
                job.onFailure = { _, _ in .carryOn }
                setUp(job)
                if job.onAll != nil { job.script = { $0.trackAndQueue(InstantOperation("ok")) } }
                let (books, collector) = books(of: job)
                job.clock = clock
                job.maximumStopTime = .seconds(5)
                job.startJob()
                await wait(for: began.withLock { $0 })
                job.cancel()
                await clock.waitForSleepers()
                clock.advance(by: .seconds(5))
                await bounded { await job.waitForFinish() }
                XCTAssertTrue(job.isGivenUp)
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
        let task = deaf("early")
        let job = limited(ScriptedJob(callbackQueue: callbacks))
        job.track(task)
        task.start()
        job.startJob()
        await eventually { job.isExecuting }
        job.cancel()
        await timePasses()
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
        let task = deaf("elsewhere")
        let job = limited(ScriptedJob())
        job.track(task)
        task.start()
        job.cancel()
        XCTAssertNil(clock.nextDeadline)
        job.startJob()
        await timePasses()
        await waitForFinish(ofCancelled: job)
        XCTAssertTrue(job.isGivenUp)
        XCTAssertEqual(job.events, [])
        task.finish()
    }

    // O5, J8: the thread that cancels is stuck in one task, and the others must be told.
    func testTaskWhoseDidCancelNeverReturnsKeepsNoJobOpen() async {
        let release = Gate()
        let stuck = limited(
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
        await timePasses()
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
        let job = limited(ScriptedJob { $0.trackAndQueue(task) })
        job.onDidCancel = { _ in release.wait() }
        job.startJob()
        await wait(for: task.began)
        let returned = Gate()
        Thread.detachNewThread {
            job.cancel()
            returned.open()
        }
        await timePasses()
        await bounded { await job.waitForFinish() }
        // What it left was told to stop.
        await bounded { await task.waitForFinish() }
        XCTAssertTrue(task.isCancelled)
        release.open()
        await wait(for: returned)
    }

    /// R2: the job's own finish is its last event.
    func testEndWaitsForAnObserverThatIsBeingToldOfADelivery() async {
        let held = deaf("held")
        let job = limited(
            ScriptedJob { job in
                job.trackAndQueue(InstantOperation("first"))
                job.trackAndQueue(held)
            }
        )
        let observer = HeldObserver()
        job.addObserver(observer)
        job.startJob()
        await wait(for: observer.isTold)
        await wait(for: held.began)
        job.cancel()
        await timePasses()
        await eventually { job.shell.ask { $0.machine.isGivenUp } }
        XCTAssertFalse(job.isFinished)
        observer.release.open()
        await bounded { await job.waitForFinish() }
        // What is left may be told while the delivery is.
        XCTAssertEqual(observer.log.events.last, "job finished")
        XCTAssertEqual(
            Set(observer.log.events.suffix(3)),
            ["first delivered", "held dropped", "job finished"]
        )
    }

    func testJobsThatEndInManyWaysRaceWithGivingUp() async {
        for seed in UInt64(1)...200 {
            var random = SeededGenerator(seed: seed)
            let tasks = (0..<6).map { self.deaf("\($0)") }
            let job = ScriptedJob { job in
                for task in tasks { job.trackAndQueue(task) }
                if seed.isMultiple(of: 3) { job.finish() }
            }
            let (books, collector) = self.books(of: job)
            job.maximumStopTime = .microseconds(Int.random(in: 0..<200, using: &random))
            job.startJob()
            // What is finished early may never begin.
            if seed % 6 == 2 { await self.wait(for: tasks[0].began) }
            await self.runOnThreads(3) { number in
                switch number {
                case 0: job.cancel()
                case 1: for task in tasks { task.finish() }
                default: _ = job.explainStall()
                }
            }
            await self.waitForFinish(ofCancelled: job)
            XCTAssertEqual(collector.log.events.last, "job finished")
            XCTAssertEqual(books.complaints, [], "seed \(seed)")
            XCTAssertEqual(job.trackedTasks, [])
        }
    }
}

/// Does not return from being told of a delivery until it is released.
private final class HeldObserver: JobObserver {
    let isTold = Gate()
    let release = Gate()
    let log = EventLog()

    func job(_ job: JobController, didRecord event: JobEvent) {
        if event.kind == .delivered {
            isTold.open()
            release.wait()
        }
        log.record("\(event.name) \(event.kind)")
    }
}
