import Foundation
import JobKit
import JobKitTesting
import Synchronization
import XCTest

// J1
final class SerialCallbacksTests: XCTestCase {
    func testCallbacksOfTasksOnManyQueuesRunOneAtATime() async throws {
        final class Fan: JobController, @unchecked Sendable {
            let inside = Atomic(0)
            var overlaps = 0
            var delivered = 0
            let queues: [any OperationScheduling] = [TaskQueue(), OperationQueue(), TaskQueue()]

            override func main() {
                for index in 0..<3_000 {
                    trackAndQueue(ConcurrentOperation(), on: queues[index % 3])
                }
            }

            override func taskFinished(_ task: Operation) {
                if inside.add(1, ordering: .relaxed).oldValue != 0 { overlaps += 1 }
                // Long enough for another callback to overlap if that were possible.
                sched_yield()
                delivered += 1
                inside.subtract(1, ordering: .relaxed)
            }
        }
        let job = Fan()
        try await job.run()
        XCTAssertEqual([job.overlaps, job.delivered], [0, 3_000])
    }

    func testWorkOfATaskHappensBeforeItsDelivery() async throws {
        final class Work: ConcurrentOperation, @unchecked Sendable {
            var product = 0

            override func main() {
                product = 1
                finish()
            }
        }
        final class Sum: JobController, @unchecked Sendable {
            var sum = 0

            override func main() {
                for _ in 0..<1_000 { trackAndQueue(Work()) { self.sum += $0.product } }
            }
        }
        let job = Sum()
        try await job.run()
        XCTAssertEqual(job.sum, 1_000)
    }

    /// The callbacks on a callbackQueue come in batches, and any of them may be the last of a
    /// batch.
    func testNothingIsLostBetweenStretchesOfCallbacks() async throws {
        final class Stretches: JobController, @unchecked Sendable {
            let before: Int
            var asked = 0
            var delivered = 0
            weak var last: Operation?

            init(before: Int) {
                self.before = before
                super.init(callbackQueue: DispatchQueue(label: "callbacks"))
            }

            override func main() {
                for _ in 0..<before { trackAndQueue(InstantOperation("a")) { _ in } }
                for _ in 0..<100 { trackAndQueue(InstantOperation("b", failure: SampleError("b"))) }
            }

            override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse {
                asked += 1
                return .carryOn
            }

            override func taskFinished(_ task: Operation) {
                delivered += 1
                last = task
            }
        }
        for before in 0...1 {
            let job = Stretches(before: before)
            try await job.run()
            XCTAssertEqual([job.asked, job.delivered], [100, 100], "\(before)")
            await eventually { job.last == nil }
        }
    }

    func testNoCallbackStartsBeforeMainHasReturned() async {
        let log = EventLog()
        let job = ScriptedJob(log: log) { job in
            let task = InstantOperation("a")
            let isDelivered = Gate()
            task.completionBlock = { isDelivered.open() }
            job.trackAndQueue(task)
            isDelivered.wait()
            log.record("main returns")
        }
        job.startJob()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(log.events, ["main returns", "task a", "group InstantOperation", "all"])
    }

    func testMainAndEveryCallbackRunOnTheCallbackQueue() async {
        let key = DispatchSpecificKey<Bool>()
        let callbackQueue = DispatchQueue(label: "callbacks", attributes: .concurrent)
        callbackQueue.setSpecific(key: key, value: true)
        let log = EventLog()
        @Sendable func check(_ name: String) {
            log.record(DispatchQueue.getSpecific(key: key) == true ? name : "\(name) elsewhere")
        }
        let clock = ManualClock()
        let held = HeldOperation("held")
        let job = ScriptedJob(callbackQueue: callbackQueue) { job in
            check("main")
            job.trackAndQueue(InstantOperation("plain"))
            job.trackAndQueue(InstantOperation("closure"), group: .named("own")) { _ in
                check("closure")
            }
            job.setCompletion(for: .named("own")) { check("own group") }
        }
        job.clock = clock
        job.onTask = { _, _ in check("task") }
        job.onFailure = { _, _ in
            check("failed")
            return .carryOn
        }
        job.onGroup = { _, _ in check("group") }
        job.onAll = { job in
            check("all")
            guard job.isSuspended else { return }
        }
        job.onCancelled = { _ in check("cancelled") }
        // The group of failures keeps the job open until the clock was advanced.
        job.track(held, group: .named("held"))
        job.startJob()
        job.trackAndQueue(
            InstantOperation("bad", failure: SampleError("bad")),
            group: .named("bad")
        ) { _ in
            check("bad closure")
        }
        job.perform(after: .seconds(1)) {
            check("delayed")
            held.finish()
            held.start()
        }
        clock.advance(by: .seconds(1))
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(
            Set(log.events),
            [
                "main", "closure", "own group", "task", "group", "failed", "bad closure",
                "delayed", "all",
            ]
        )

        let cancelled = ScriptedJob(callbackQueue: callbackQueue) { $0.cancel() }
        cancelled.onCancelled = { _ in check("cancelled") }
        cancelled.startJob()
        await bounded { await cancelled.waitForFinish() }
        XCTAssertEqual(log.events.last, "cancelled")
    }

    func testCallbacksOnTheMainQueue() async {
        let log = EventLog()
        @Sendable func check() { log.record(Thread.isMainThread ? "main" : "elsewhere") }
        let job = ScriptedJob(callbackQueue: .main) { job in
            check()
            for index in 0..<200 {
                job.trackAndQueue(InstantOperation("\(index)")) { _ in check() }
            }
        }
        job.onAll = { _ in check() }
        job.startJob()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(log.events, Array(repeating: "main", count: 202))
    }

    func testDelayedCallbackIsSerialAndKeepsNoJobOpen() async {
        let clock = ManualClock()
        let held = HeldOperation("held")
        let job = ScriptedJob { job in
            job.trackAndQueue(held)
            job.perform(after: .seconds(1)) {
                job.log.record("first")
                job.trackAndQueue(InstantOperation("tracked"))
            }
            job.perform(after: .seconds(5)) { job.log.record("never") }
        }
        job.clock = clock
        job.startJob()
        await wait(for: held.began)
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        await job.log.waitForEvent("group InstantOperation")
        held.finish()
        await bounded { await job.waitForFinish() }
        clock.advance(by: .seconds(9))
        XCTAssertEqual(
            job.events,
            [
                "first", "task tracked", "group InstantOperation", "task held",
                "group HeldOperation", "all",
            ]
        )
    }
}
