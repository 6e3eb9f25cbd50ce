import Foundation
import JobKit
import JobKitTesting
import XCTest

// J5
final class DeliveredOnceTests: XCTestCase {
    func testTaskFinishedBeforeItIsTrackedIsDeliveredAndNotQueued() async {
        let idle = IdleQueue()
        let (concurrent, plain) = (InstantOperation("a"), BlockOperation {})
        plain.name = "b"
        concurrent.start()
        plain.start()
        let job = ScriptedJob(queue: idle) { job in
            job.trackAndQueue(concurrent)
            job.trackAndQueue(plain)
        }
        job.startJob()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(idle.names, [])
        XCTAssertEqual(job.events.filter { $0.hasPrefix("task") }, ["task a", "task b"])
    }

    func testFinishThatRacesWithTrackingIsDeliveredOnce() async throws {
        for round in 0..<rounds(of: 400) {
            let tasks: [Operation] = [
                InstantOperation("a"), BlockOperation {}, HeldOperation("b"), UserOperation("c"),
            ]
            let task = tasks[round % tasks.count]
            let job = ScriptedJob { job in
                Thread.detachNewThread {
                    task.start()
                    (task as? HeldOperation)?.finish()
                }
                job.track(task) { _ in job.log.record("delivered") }
            }
            try await job.run()
            XCTAssertEqual(job.events.filter { $0 == "delivered" }.count, 1)
        }
    }

    func testTaskStartedByHandWhileItIsTrackedAndQueuedIsDeliveredOnce() async throws {
        // Other code starts the task, and the queue must never start it after its completion.
        for round in 0..<rounds(of: 400) {
            let task = HeldOperation("a")
            let job = ScriptedJob(queue: IdleQueue()) { job in
                if round.isMultiple(of: 2) {
                    job.setMaxConcurrentOperationCount(1, for: .named("g"))
                }
                Thread.detachNewThread {
                    task.start()
                    task.finish()
                }
                job.trackAndQueue(task, group: .named("g")) { _ in job.log.record("delivered") }
                job.trackAndQueue(InstantOperation("b"), on: TaskQueue(), group: .named("g"))
            }
            try await job.run()
            XCTAssertEqual(job.events.filter { $0 == "delivered" }.count, 1)
        }
    }

    func testTaskFinishedOnTheSameThreadInMainAndInCallbacks() async {
        let job = ScriptedJob { job in
            let task = InstantOperation("0")
            job.track(task)
            task.start()
        }
        job.onTask = { job, task in
            let next = (Int(task.name ?? "") ?? 0) + 1
            guard next < 5 else { return }
            let task = InstantOperation("\(next)")
            task.start()
            job.track(task)
        }
        job.startJob()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(
            job.events,
            (0..<5).map { "task \($0)" } + ["group InstantOperation", "all"]
        )
    }

    func testTaskThatFinishesInsideTheCallThatQueuesIt() async {
        let job = ScriptedJob(queue: InlineQueue()) { $0.trackAndQueue(InstantOperation("a")) }
        job.startJob()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["task a", "group InstantOperation", "all"])
    }

    func testTaskFinishedBeforeItsTurnInAQueueIsDelivered() async {
        // A finish before the start takes effect when the queue starts the task.
        let gate = HeldOperation("gate")
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        queue.addOperation(gate)
        let task = HeldOperation("a")
        let job = ScriptedJob { $0.trackAndQueue(task, on: queue) }
        job.startJob()
        task.finish()
        gate.finish()
        await bounded { await job.waitForFinish() }
        XCTAssertFalse(task.began.isOpen)
        XCTAssertEqual(job.events, ["task a", "group HeldOperation", "all"])
    }

    func testTasksTrackedFromManyThreadsAreDeliveredOnce() async {
        let open = HeldOperation("open")
        let job = ScriptedJob { $0.trackAndQueue(open) }
        job.startJob()
        await wait(for: open.began)
        await runOnThreads(4) { number in
            for index in 0..<200 { job.trackAndQueue(InstantOperation("\(number).\(index)")) }
        }
        open.finish()
        await bounded { await job.waitForFinish() }
        let delivered = job.events.filter { $0.hasPrefix("task") && $0 != "task open" }
        XCTAssertEqual(delivered.count, 800)
        XCTAssertEqual(Set(delivered).count, 800)
    }
}
