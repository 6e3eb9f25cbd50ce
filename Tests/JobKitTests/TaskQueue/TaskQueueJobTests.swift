import Foundation
import JobKit
import JobKitTesting
import Synchronization
import XCTest

/// J12: jobs and their tasks share a queue of limited width.
final class TaskQueueJobTests: XCTestCase {
    /// The tasks of a job, and theirs, run one at a time beside the jobs that wait for them.
    func testTreeOfJobsOnWidthOne() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let running = Atomic(0)
        let most = Guarded(0)
        let count = Atomic(0)
        @Sendable func tree(_ depth: Int) -> Operation {
            guard depth > 0 else {
                return ScriptedOperation { operation in
                    let now = running.add(1, ordering: .sequentiallyConsistent).newValue
                    most.withLock { $0 = max($0, now) }
                    DispatchQueue.global()
                        .async {
                            count.add(1, ordering: .relaxed)
                            running.subtract(1, ordering: .sequentiallyConsistent)
                            operation.finish()
                        }
                }
            }
            return ScriptedJob(queue: queue) { job in
                for _ in 0..<3 { job.trackAndQueue(tree(depth - 1)) }
            }
        }
        queue.addOperation(tree(5))
        await drain(queue)
        XCTAssertEqual(count.load(ordering: .relaxed), 243)
        XCTAssertEqual(most.withLock { $0 }, 1)
    }

    /// Through jobs on other queues, of width 1 as well.
    func testChainAcrossQueues() async {
        let queues = (0..<3).map { _ in TaskQueue(maxConcurrentOperationCount: 1) }
        let ended = Atomic(0)
        @Sendable func chain(_ depth: Int) -> Operation {
            guard depth > 0 else {
                return ScriptedOperation {
                    ended.add(1, ordering: .relaxed)
                    $0.finish()
                }
            }
            return ScriptedJob(queue: queues[depth % 3]) { $0.trackAndQueue(chain(depth - 1)) }
        }
        for _ in 0..<20 { queues[0].addOperation(chain(30)) }
        for queue in queues { await drain(queue) }
        XCTAssertEqual(ended.load(ordering: .relaxed), 20)
    }

    /// A task, of either kind, that stood in the queue before the job began to track it.
    func testTaskQueuedBeforeItIsTracked() async {
        for isPlain in [false, true] {
            let queue = TaskQueue(maxConcurrentOperationCount: 1)
            let job = ScriptedJob(queue: queue) { job in
                let task: Operation = isPlain ? BlockOperation {} : ConcurrentOperation()
                queue.addOperation(task)
                job.track(task)
            }
            queue.addOperation(job)
            await drain(queue)
            XCTAssertTrue(job.isFinished)
        }
    }

    /// A task that was tracked and queued before its job started.
    func testTaskTrackedBeforeTheJobStarts() async {
        for isPlain in [false, true] {
            let queue = TaskQueue(maxConcurrentOperationCount: 1)
            queue.isSuspended = true
            let job = ScriptedJob(queue: queue) { _ in }
            let task: Operation = isPlain ? BlockOperation {} : ConcurrentOperation()
            task.queuePriority = .low
            job.trackAndQueue(task)
            queue.addOperation(job)
            queue.isSuspended = false
            await drain(queue)
            XCTAssertTrue(job.isFinished)
        }
    }

    /// Q4: a queue that is limited while jobs already wait in it.
    func testQueueIsLimitedWhileJobsWait() async {
        for hasBarrier in [false, true] {
            let (queue, gate) = (TaskQueue(), ConcurrentOperation())
            let began = expectation(description: "all jobs wait")
            began.expectedFulfillmentCount = 10
            for _ in 0..<10 {
                queue.addOperation(
                    ScriptedJob(queue: queue) { job in
                        let task = ConcurrentOperation()
                        task.addDependency(gate)
                        job.trackAndQueue(task)
                        job.trackAndQueue(ScriptedOperation { $0.finish() }) { _ in began.fulfill()
                        }
                    }
                )
            }
            await fulfillment(of: [began], timeout: 300)
            if hasBarrier { queue.addBarrierBlock {} }
            queue.maxConcurrentOperationCount = 1
            TaskQueue.shared.addOperation(gate)
            await drain(queue)
            XCTAssertEqual(queue.operationCount, 0)
        }
    }

    /// Limiting a queue and adding barriers races jobs that put their tasks there.
    func testLimitsAndBarriersRaceTheTasksOfJobs() async {
        for round in 0..<300 {
            let queue = TaskQueue()
            await runOnThreads(2) { thread in
                if thread == 0 {
                    for _ in 0..<3 {
                        queue.addOperation(
                            ScriptedJob(queue: queue) { job in
                                job.trackAndQueue(ConcurrentOperation()) { _ in
                                    job.trackAndQueue(BlockOperation {})
                                    let task = ConcurrentOperation()
                                    queue.addOperation(task)
                                    job.track(task)
                                }
                            }
                        )
                    }
                } else if round % 2 == 0 {
                    queue.addBarrierBlock {}
                } else {
                    queue.maxConcurrentOperationCount = 1
                }
            }
            await drain(queue)
            guard queue.operationCount == 0 else { return XCTFail("stuck in round \(round)") }
        }
    }

    /// A barrier waits for a job; what the job still adds belongs before it.
    func testBarrierWaitsForTheTasksOfAJob() async {
        let (queue, log) = (TaskQueue(), EventLog())
        let (began, release) = (Gate(), Gate())
        let job = ScriptedJob(queue: queue) { job in
            began.open()
            release.wait()
            job.trackAndQueue(ScriptedOperation { $0.finish() }) { _ in
                log.record("first")
                job.trackAndQueue(BlockOperation { log.record("second") })
            }
        }
        queue.addOperation(job)
        await began.opened()
        queue.addBarrierBlock { log.record("barrier") }
        queue.addOperation { log.record("after") }
        release.open()
        await drain(queue)
        XCTAssertEqual(log.events, ["first", "second", "barrier", "after"])
    }

    /// J10: many steps of a job in the queue where it has its own place, at width 1.
    func testManyStepsInTheJobsOwnPlace() async throws {
        final class Steps: JobController, @unchecked Sendable {
            var count = 0
            override func main() { step() }
            func step() {
                guard count < 100_000 else { return }
                trackAndQueue(ConcurrentOperation()) { _ in
                    self.count += 1
                    self.step()
                }
            }
        }
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let job = Steps(queue: queue)
        try await job.run(on: queue)
        XCTAssertEqual(job.count, 100_000)
    }
}
