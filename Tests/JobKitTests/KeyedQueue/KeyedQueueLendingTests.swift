import Foundation
import JobKit
import JobKitTesting
import XCTest

// X4, X5
final class KeyedQueueLendingTests: XCTestCase {
    func testJobAndItsTasksMayHaveTheSameKey() async throws {
        let queue = KeyedQueue<String>(maxConcurrentOperationCount: 1)
        let (gauge, inner) = (Gauge(limit: 1), ScriptedJob("inner"))
        func task(_ name: String) -> ClosureOperation<Void> {
            ClosureOperation(name: name) {
                gauge.enter()
                gauge.leave()
            }
        }
        inner.script = { job in
            for number in 1...3 { job.trackAndQueue(task("inner \(number)"), on: queue.keyed("a")) }
        }
        let job = ScriptedJob("outer") { job in
            job.trackAndQueue(task("task"), on: queue.keyed("a"))
            job.trackAndQueue(inner, on: queue.keyed("a"))
        }
        try await job.run(on: queue.keyed("a"))
        XCTAssertFalse(gauge.wasExceeded)
        XCTAssertEqual(job.events.last, "all")
        XCTAssertEqual(inner.events.last, "all")
        await bounded { await queue.waitForAllOperations() }
    }

    func testAttemptsOfARetryUseTheKeyOfTheRetry() async throws {
        let queue = KeyedQueue<String>(maxConcurrentOperationCount: 1)
        let retry = RetryOperation(
            RetryPolicy { failed, _ in failed < 3 ? .zero : nil },
            on: queue.keyed("a")
        ) { number in
            ClosureOperation(name: "\(number)") { if number < 3 { throw SampleError() } }
        }
        queue.addOperation(retry, keys: ["a"])
        try await retry.value
    }

    func testJobsThatFillTheLimitRunTheirTasks() async throws {
        let queue = KeyedQueue<Int>(maxConcurrentOperationCount: 2)
        let jobs = (0..<4)
            .map { number in
                ScriptedJob("\(number)", queue: queue) { job in
                    for _ in 0..<20 { job.trackAndQueue(ClosureOperation {}) }
                }
            }
        for (number, job) in jobs.enumerated() { queue.addOperation(job, keys: [number]) }
        for job in jobs { await bounded { await job.waitForFinish() } }
    }

    func testTaskThatIsTrackedAfterItWasAddedUsesItsJobsKey() async {
        let queue = KeyedQueue<String>()
        let (tracked, task) = (Gate(), ClosureOperation(name: "task") {})
        let job = ScriptedJob("job") { job in
            queue.addOperation(task, keys: ["a"])
            tracked.wait()
            job.track(task)
        }
        queue.addOperation(job, keys: ["a"])
        await eventually { queue.operationCount == 2 }
        XCTAssertFalse(task.isFinished)
        tracked.open()
        await bounded { await job.waitForFinish() }
    }

    func testTaskThatIsTrackedWhileItIsAddedUsesItsJobsKey() async {
        for _ in 0..<rounds(of: 500) {
            let queue = KeyedQueue<String>()
            let (began, task) = (Gate(), ClosureOperation(name: "task") {})
            let job = ScriptedJob("job") { job in
                began.open()
                job.track(task)
            }
            queue.addOperation(job, keys: ["a"])
            await began.waitUntilOpen()
            queue.addOperation(task, keys: ["a"])
            await bounded { await job.waitForFinish() }
        }
    }

    func testKeyOfATaskThatItsJobLeavesStaysHeld() async {
        let queue = KeyedQueue<String>()
        let task = HeldOperation("task", stopsWhenCancelled: false)
        let job = ScriptedJob("job") { job in
            job.trackAndQueue(task, on: queue.keyed("a"), cancellation: .leaveRunning)
        }
        queue.addOperation(job, keys: ["a"])
        await task.began.waitUntilOpen()
        let other = HeldOperation("other")
        queue.addOperation(other, keys: ["a"])
        job.cancel()
        await bounded { await job.waitForFinish() }
        await eventually { queue.operations(for: "a").count == 2 }
        XCTAssertEqual(queue.operations(for: "a").compactMap(\.name), ["task", "other"])
        XCTAssertFalse(other.isExecuting)
        task.finish()
        await other.began.waitUntilOpen()
        other.finish()
    }

    func testJoinCountsNoJobAboveTheNewOperation() async throws {
        let queue = KeyedQueue<String>()
        let job = ScriptedJob("sync") { job in
            let task = ClosureOperation(name: "sync again") {}
            job.trackAndQueue(task, on: queue.keyed("a", duplicates: .join))
        }
        try await job.run(on: queue.keyed("a"))
        XCTAssertEqual(job.events, ["task sync again", "group ClosureOperation<()>", "all"])
    }
}
