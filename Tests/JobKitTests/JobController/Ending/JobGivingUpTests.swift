import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// O11: jobs that were told to stop and whose tasks or code do not.
final class JobGivingUpTests: XCTestCase {
    private let limit = StopLimit()

    func testGivenUpTaskIsDeliveredAndTheJobGoesOn() async {
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

    func testOverrunTaskThatIsGivenUpHasFailed() async {
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

    func testGivenUpJobLeavesItsTasksAndCallsNothingMore() async {
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
        XCTAssertEqual(job.events, [])
        XCTAssertEqual(job.trackedTasks, [])
        XCTAssertTrue(job.isAbandoned)
        // R4
        XCTAssertEqual(job.explainStall(), "job: finished, given up, leaving 0, 1, 2")
        for task in tasks {
            XCTAssertTrue(task.isExecuting)
            XCTAssertEqual(collector.kinds(of: task.label), [.tracked, .started, .dropped])
            task.finish()
        }
        XCTAssertEqual(collector.log.events.last, "job finished")
        XCTAssertEqual(collector.events.last?.isAbandoned, true)
        XCTAssertEqual(books.complaints, [])
        XCTAssertEqual(job.events, [])
    }

    func testOverrunJobIsGivenUpAsTimedOut() async {
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

    // O11: a job that has failed and is then told to stop ends as it had failed.
    func testJobThatHasFailedIsGivenUpAfterACancel() async {
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
        XCTAssertNil(limit.clock.nextDeadline)
        job.cancel()
        await limit.passes()
        await bounded { await job.waitForFinish() }
        XCTAssertTrue(job.error is SampleError)
        XCTAssertEqual(job.events, ["failed fails"])
        task.finish()
    }

    func testJobAboveAGivenUpJobGoesOnInAQueueOfWidthOne() async {
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
        // What was left keeps the place that it borrowed.
        stuck.finish()
        await bounded { await outer.waitForFinish() }
        XCTAssertTrue(Set(outer.events).isSuperset(of: ["task inner", "task next", "all"]))
        XCTAssertEqual(books.complaints, [])
        await drain(queue)
    }

    func testDeepJobsThatAreAllCancelledGoOnWhenTheInnermostIsGivenUp() async {
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

    /// R2: the job's own finish is its last event.
    func testEndWaitsForAnObserverThatIsBeingToldOfADelivery() async {
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
        await eventually { job.shell.ask { $0.machine.isAbandoned } }
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
            let tasks = (0..<6).map { HeldOperation("\($0)", stopsWhenCancelled: false) }
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
