import Foundation
import JobKit
import JobKitTesting
import XCTest

// J4
final class TrackedBeforeStartTests: XCTestCase {
    func testTasksGoIntoTheirQueueInOrderWhenTheJobStarts() async {
        let queue = StepQueue()
        let job = ScriptedJob(queue: queue) { $0.trackAndQueue(InstantOperation("from main")) }
        for index in 0..<3 {
            let group = JobGroup.named("\(index % 2)")
            job.trackAndQueue(InstantOperation("\(index)"), group: group)
        }
        XCTAssertEqual(queue.held, [])
        XCTAssertTrue(job.explainStall().contains("never queued, because job has not been started"))
        job.start()
        XCTAssertEqual(queue.held.map(\.name), ["0", "1", "2", "from main"])
        queue.runAll(seed: 1)
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events.filter { $0.hasPrefix("task") }.count, 4)
    }

    func testTasksAreDeliveredAfterMainOnEveryKindOfQueue() async throws {
        let queues: [any OperationScheduling] = [TaskQueue(), OperationQueue(), InlineQueue()]
        for queue in queues {
            for callbackQueue in [nil, DispatchQueue(label: "callbacks")] {
                let job = ScriptedJob(queue: queue, callbackQueue: callbackQueue) { job in
                    job.log.record("main")
                }
                let group = JobGroup.named("g")
                job.trackAndQueue(InstantOperation("a"), group: group)
                job.trackAndQueue(BlockOperation {}, group: group) { _ in job.log.record("block") }
                try await job.run()
                XCTAssertEqual(job.events.first, "main")
                XCTAssertEqual(Set(job.events), ["main", "task a", "block", "group g", "all"])
            }
        }
    }

    func testGroupLimitSetBeforeTheStartCounts() async {
        let queue = StepQueue()
        let job = ScriptedJob(queue: queue)
        let type = JobGroup.type(InstantOperation.self)
        job.trackAndQueue(InstantOperation("a"))
        job.setMaxConcurrentOperationCount(1, for: type)
        job.trackAndQueue(InstantOperation("b"))
        job.start()
        XCTAssertEqual(queue.held.map(\.name), ["a"])
        queue.runNext()
        XCTAssertEqual(queue.held.map(\.name), ["b"])
        queue.runNext()
        await bounded { await job.waitForFinish() }
    }

    func testJobSuspendedBeforeItsStartQueuesWhenItIsResumed() async {
        let queue = StepQueue()
        let job = ScriptedJob(queue: queue)
        job.isSuspended = true
        job.trackAndQueue(InstantOperation("a"))
        job.start()
        XCTAssertEqual(queue.held, [])
        job.isSuspended = false
        XCTAssertEqual(queue.held.map(\.name), ["a"])
        queue.runNext()
        await bounded { await job.waitForFinish() }
    }

    func testCancelBeforeTheStartFinishesTheTasksWithoutRunningThem() async {
        let task = HeldOperation("task")
        let job = ScriptedJob { $0.log.record("main") }
        job.trackAndQueue(task)
        job.cancel()
        await waitForFinish(ofCancelled: task)
        job.startJob()
        await waitForFinish(ofCancelled: job)
        XCTAssertFalse(task.began.isOpen)
        XCTAssertEqual(job.events, [])
    }

    func testTaskLeftRunningIsEnqueuedAlsoByACancelledJob() async {
        let task = HeldOperation("task")
        let job = ScriptedJob()
        job.trackAndQueue(task, cancellation: .leaveRunning)
        job.cancel()
        await wait(for: task.began)
        task.finish()
        job.startJob()
        await waitForFinish(ofCancelled: job)
    }

    func testTasksTrackedWhileTheJobStartsComeBehindThoseTrackedBefore() async {
        for _ in 0..<rounds(of: 200) {
            let (queue, ready) = (StepQueue(), Gate())
            let job = ScriptedJob(queue: queue) { $0.track(HeldOperation("open")) }
            for index in 0..<20 { job.trackAndQueue(InstantOperation("\(index)")) }
            let tracked = expectation(description: "tracked")
            Thread.detachNewThread {
                ready.open()
                for index in 20..<40 { job.trackAndQueue(InstantOperation("\(index)")) }
                tracked.fulfill()
            }
            await ready.waitUntilOpen()
            job.start()
            await fulfillment(of: [tracked], timeout: 300)
            await eventually { queue.held.count == 40 }
            XCTAssertEqual(queue.held.map(\.name), (0..<40).map { "\($0)" })
            job.cancel()
            await bounded { await job.waitForFinish() }
        }
    }

    func testJobNeverStartedIsReleasedWithItsPendingTasks() {
        weak var released: JobController?
        weak var task: Operation?
        do {
            let job = ScriptedJob()
            released = job
            let held = HeldOperation("held")
            task = held
            job.trackAndQueue(held) { _ in }
        }
        XCTAssertNil(released)
        XCTAssertNil(task)
    }
}
