import Foundation
import JobKit
import JobKitTesting
import XCTest

// J6
final class AnyOperationTests: XCTestCase {
    func testEveryKindOfOperationOnBothKindsOfQueue() async {
        for queue: any OperationScheduling in [TaskQueue(), OperationQueue()] {
            let job = ScriptedJob(queue: queue) { job in
                let block = BlockOperation {}
                block.name = "block"
                let async = AsyncOperation(name: "async") { await Task.yield() }
                let nested = ScriptedJob("nested", log: job.log, queue: queue) { nested in
                    nested.trackAndQueue(InstantOperation("inner"))
                }
                job.trackAndQueue(block, group: .named("g"))
                job.trackAndQueue(async, group: .named("g"))
                job.trackAndQueue(nested, group: .named("g"))
                job.trackAndQueue(UserOperation("user"), group: .named("g"))
            }
            job.startJob(on: queue)
            await bounded { await job.waitForFinish() }
            XCTAssertEqual(
                Set(job.events),
                [
                    "task block", "task async", "task user", "task inner", "all",
                    "group InstantOperation", "task nested", "group g",
                ]
            )
            XCTAssertEqual(job.events.count, 9)
        }
    }

    /// Foundation forbids starting an operation that is in a queue.
    ///
    /// Nevertheless, the job is notified (J5).
    func testPlainTaskRunByOtherCodeIsDeliveredInItsTurn() async {
        for task in [BlockOperation {}, UserOperation("user")] {
            let queue = TaskQueue()
            queue.isSuspended = true
            let job = ScriptedJob { job in
                job.trackAndQueue(task, on: queue, group: .named("g"))
                task.start()
                queue.isSuspended = false
            }
            job.startJob()
            await bounded { await job.waitForFinish() }
            XCTAssertEqual(job.events, ["task \(task.name ?? "")", "group g", "all"])
            XCTAssertEqual(queue.operationCount, 0)
        }
    }

    func testOneTaskIsDeliveredToSeveralJobs() async {
        for task: Operation in [HeldOperation("shared"), UserOperation("shared", isHeld: true)] {
            let jobs = (0..<3)
                .map { _ in
                    ScriptedJob { $0.track(task, group: .named("g")) }
                }
            for job in jobs {
                job.startJob()
                while job.trackedTasks.isEmpty { await Task.yield() }
            }
            task.start()
            (task as? HeldOperation)?.finish()
            (task as? UserOperation)?.complete()
            for operation in [jobs[0], jobs[1], jobs[2]] {
                await bounded { await operation.waitForFinish() }
            }
            for job in jobs { XCTAssertEqual(job.events, ["task shared", "group g", "all"]) }
        }
    }

    func testCompletionBlockStaysTheUsersOwn() async {
        // O6
        let log = EventLog()
        let job = ScriptedJob { job in
            let (first, second) = (BlockOperation {}, InstantOperation("b"))
            first.completionBlock = { log.record("first") }
            job.track(first)
            job.track(second)
            second.completionBlock = { log.record("second") }
            first.start()
            second.start()
        }
        job.startJob()
        await bounded { await job.waitForFinish() }
        await log.waitForEvent("first")
        await log.waitForEvent("second")
        XCTAssertEqual(log.events.sorted(), ["first", "second"])
    }

    func testPlainOperationThatFinishesWhileItIsTracked() async throws {
        // The operation and Foundation may report its completion at the same time.
        for _ in 0..<500 {
            let tasks = (0..<8).map { _ in BlockOperation {} }
            let job = ScriptedJob { job in
                for task in tasks { job.track(task) { _ in job.log.record("delivered") } }
            }
            let queue = OperationQueue()
            for task in tasks { queue.addOperation(task) }
            try await job.run()
            XCTAssertEqual(job.events.count, 10)
        }
    }

    func testPlainOperationThatNotifiesAfterItsFinishIsDelivered() async {
        // `isFinished` is true for a while before the notification for which Foundation waits.
        final class Slow: Operation, @unchecked Sendable {
            let isDone = Gate()
            let mayNotify = Gate()

            override var isFinished: Bool { isDone.isOpen }
            override func start() {
                isDone.open()
                mayNotify.wait()
                didChangeValue(forKey: "isFinished")
            }
        }
        let task = Slow()
        let notified = Gate()
        Thread.detachNewThread {
            task.start()
            notified.open()
        }
        await wait(for: task.isDone)
        let job = ScriptedJob { $0.track(task) }
        job.startJob()
        await bounded { await job.waitForFinish() }
        task.mayNotify.open()
        await wait(for: notified)
        XCTAssertEqual(job.events, ["task ", "group Slow", "all"])
    }
}
