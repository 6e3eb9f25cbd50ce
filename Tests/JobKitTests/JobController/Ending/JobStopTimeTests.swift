import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// O11: jobs with tasks that do not stop in time.
final class JobStopTimeTests: XCTestCase {
    private let limit = StopLimit()

    func testAbandonedTaskIsDeliveredAndItsJobContinues() async {
        let task = limit.set(on: HeldOperation("stuck", stopsWhenCancelled: false))
        let job = ScriptedJob { job in
            job.trackAndQueue(task) { task in
                job.log.record("\(task.outcome?.text ?? "") \(task.isAbandoned)")
                job.trackAndQueue(InstantOperation("next"))
            }
        }
        let (books, collector) = books(of: job)
        job.startJob()
        await wait(for: task.began)
        task.cancel()
        await limit.passes()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(
            job.events,
            ["cancelled true", "group HeldOperation", "task next", "group InstantOperation", "all"]
        )
        let ends = collector.events.filter { $0.kind == .finished }
        XCTAssertEqual(ends.map(\.isAbandoned), [true, false, false])
        XCTAssertEqual(books.complaints, [])
    }

    func testTimedOutTaskThatIsAbandonedHasFailed() async {
        let task = limit.set(on: HeldOperation("stuck", stopsWhenCancelled: false))
        task.maximumRuntime = .seconds(1)
        let job = ScriptedJob { $0.trackAndQueue(task) }
        job.onFailure = { _, _ in .carryOn }
        job.startJob()
        await wait(for: task.began)
        await limit.clock.waitForSleepers()
        limit.clock.advance(by: .seconds(1))
        await wait(for: task.told)
        await limit.passes()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events.prefix(2), ["failed stuck", "task stuck"])
        XCTAssertEqual(job.outcome?.text, "succeeded")
    }

    func testJobLeavesItsTasksAndEndsAsUsual() async {
        let tasks = (0..<3).map { HeldOperation("\($0)", stopsWhenCancelled: false) }
        let job = limit.set(
            on: ScriptedJob { job in for task in tasks { job.trackAndQueue(task) } }
        )
        let (books, collector) = books(of: job)
        job.startJob()
        for task in tasks { await wait(for: task.began) }
        job.cancel()
        await limit.passes()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.outcome?.text, "cancelled")
        XCTAssertEqual(job.events, ["cancelled"])
        XCTAssertEqual(job.trackedTasks, [])
        XCTAssertFalse(job.isAbandoned)
        // R4
        XCTAssertEqual(job.explainStall(), "job: finished, leaving 0, 1, 2")
        for task in tasks {
            XCTAssertTrue(task.isExecuting)
            XCTAssertEqual(collector.kinds(of: task.label), [.tracked, .started, .dropped])
            task.finish()
        }
        XCTAssertEqual(collector.log.events.last, "job finished")
        XCTAssertEqual(collector.events.last?.isAbandoned, false)
        XCTAssertEqual(books.complaints, [])
        XCTAssertEqual(job.events, ["cancelled"])
        XCTAssertEqual(job.explainStall(), "job: finished")
    }

    func testTimedOutJobLeavesItsTasks() async {
        let task = HeldOperation("stuck", stopsWhenCancelled: false)
        let job = limit.set(on: ScriptedJob { $0.trackAndQueue(task) })
        job.maximumRuntime = .seconds(1)
        job.startJob()
        await wait(for: task.began)
        await limit.clock.waitForSleepers()
        limit.clock.advance(by: .seconds(1))
        await wait(for: task.told)
        await limit.passes()
        await bounded { await job.waitForFinish() }
        XCTAssertTrue(job.error is OperationTimeoutError)
        task.finish()
    }

    func testAbandonedTaskThatAJobHasLeftIsNamed() async {
        let task = limit.set(on: HeldOperation("stuck", stopsWhenCancelled: false))
        let job = ScriptedJob { $0.trackAndQueue(task, cancellation: .cancelWithoutWaiting) }
        job.startJob()
        await wait(for: task.began)
        job.cancel()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.explainStall(), "job: finished, leaving stuck")
        await limit.passes()
        await bounded { await task.waitForFinish() }
        XCTAssertEqual(job.explainStall(), "job: finished, leaving stuck (abandoned)")
    }

    // O11: the time counts from the failure.
    func testJobThatHasFailedLeavesItsTasks() async {
        let (task, fails) = (
            HeldOperation("stuck", stopsWhenCancelled: false), HeldOperation("fails")
        )
        let job = limit.set(
            on: ScriptedJob { for task in [task, fails] { $0.trackAndQueue(task) } }
        )
        job.startJob()
        await wait(for: task.began)
        fails.finish(with: SampleError())
        await wait(for: task.told)
        await limit.clock.waitForDeadline(limit.clock.now.advanced(by: .seconds(5)))
        await limit.passes()
        await bounded { await job.waitForFinish() }
        XCTAssertTrue(job.error is SampleError)
        XCTAssertEqual(job.events, ["failed fails"])
        task.finish()
    }

    // O11: the time counts from the early finish, even if the limit is set afterwards.
    func testJobThatFinishesEarlyLeavesItsTasks() async {
        for setsLimitLater in [false, true] {
            let limit = StopLimit()
            let task = HeldOperation("stuck", stopsWhenCancelled: false)
            let job = ScriptedJob { $0.trackAndQueue(task) }
            if setsLimitLater { job.clock = limit.clock } else { limit.set(on: job) }
            job.startJob()
            await wait(for: task.began)
            job.finish()
            if setsLimitLater { job.maximumStopTime = .seconds(5) }
            await limit.passes()
            await bounded { await job.waitForFinish() }
            XCTAssertEqual(job.outcome?.text, "succeeded")
            XCTAssertEqual(job.events, [])
            task.finish()
        }
    }

    // O11, J8: a task that is tracked after the time has passed is cancelled, and the job does not
    // wait for it.
    func testTaskThatIsTrackedAfterTheTimeIsLeft() async {
        let late = HeldOperation("late", stopsWhenCancelled: false)
        late.start()
        let (began, release) = (Gate(), Gate())
        let job = limit.set(
            on: ScriptedJob { job in
                began.open()
                release.wait()
                job.track(late)
            }
        )
        job.startJob()
        await wait(for: began)
        job.cancel()
        await limit.passes()
        await eventually { job.shell.ask { $0.machine.hasLeftTasks } }
        release.open()
        await bounded { await job.waitForFinish() }
        XCTAssertTrue(late.isCancelled)
        XCTAssertEqual(job.events, ["cancelled"])
        late.finish()
    }

    func testJobAboveOneThatLeavesItsTasksContinuesInAQueueLimitedToOne() async {
        let queue = TaskQueue(name: "narrow", maxConcurrentOperationCount: 1)
        let stuck = HeldOperation("stuck", stopsWhenCancelled: false)
        let inner = limit.set(on: ScriptedJob("inner", queue: queue) { $0.trackAndQueue(stuck) })
        let outer = ScriptedJob("outer", queue: queue) { job in
            job.trackAndQueue(inner)
            job.trackAndQueue(InstantOperation("next"))
        }
        let (books, _) = books(of: outer)
        outer.startJob(on: queue)
        await wait(for: stuck.began)
        inner.cancel()
        await limit.passes()
        // A task that was left keeps the permit that it borrowed.
        stuck.finish()
        await bounded { await outer.waitForFinish() }
        XCTAssertTrue(Set(outer.events).isSuperset(of: ["task inner", "task next", "all"]))
        XCTAssertEqual(books.complaints, [])
        await drain(queue)
    }

    func testDeepJobsThatAreAllCancelledEndWhenTheInnermostLeavesItsTask() async {
        let stuck = HeldOperation("stuck", stopsWhenCancelled: false)
        var job = limit.set(on: ScriptedJob("0") { $0.trackAndQueue(stuck) })
        for depth in 1...20 {
            let inner = job
            job = ScriptedJob("\(depth)") { $0.trackAndQueue(inner) }
        }
        job.startJob()
        await wait(for: stuck.began)
        job.cancel()
        await limit.passes()
        await bounded { [job] in await job.waitForFinish() }
        XCTAssertEqual(job.events, ["cancelled"])
        stuck.finish()
    }

    /// R2: the job's own completion is its last event.
    func testEndWaitsForAnObserverThatIsBeingNotifiedOfADelivery() async {
        let held = HeldOperation("held", stopsWhenCancelled: false)
        let job = limit.set(
            on:
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
        await limit.passes()
        await eventually { job.shell.ask { $0.machine.hasLeftTasks } }
        XCTAssertFalse(job.isFinished)
        observer.release.open()
        await bounded { await job.waitForFinish() }
        // The events of tasks that were left may come during the delivery.
        XCTAssertEqual(observer.log.events.last, "job finished")
        XCTAssertEqual(
            Set(observer.log.events.suffix(3)),
            ["first delivered", "held dropped", "job finished"]
        )
    }

    func testJobsThatEndInManyWaysRaceWithTheTimeToStop() async {
        for seed in 1...UInt64(rounds(of: 200)) {
            var random = SeededGenerator(seed: seed)
            let tasks = (0..<6).map { HeldOperation("\($0)", stopsWhenCancelled: false) }
            let job = ScriptedJob { job in
                for task in tasks { job.trackAndQueue(task) }
                if seed.isMultiple(of: 3) { job.finish() }
            }
            let (books, collector) = self.books(of: job)
            job.maximumStopTime = .microseconds(Int.random(in: 0..<200, using: &random))
            job.startJob()
            // A task that is finished early may never begin.
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

/// Does not return from a delivery notification until it is released.
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
