import Foundation
import JobKitTesting
import Synchronization
import XCTest

@testable import JobKit

/// J12: jobs and their tasks share a queue with a concurrency limit.
///
/// This works because waiting jobs lend their permits.
final class LendingTests: XCTestCase {
    /// The tasks of a job, and of its nested jobs, run one at a time while those jobs wait.
    func testTreeOfJobsFinishesInASerialQueue() async {
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

    func testJobsBetweenRunOnOtherQueues() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let foundation = OperationQueue()
        foundation.maxConcurrentOperationCount = 1
        let between: [any OperationScheduling] = [
            foundation, TaskQueue(), TaskQueue(maxConcurrentOperationCount: 1), queue,
        ]
        for other in between {
            let job = ScriptedJob(queue: queue) { job in
                let nested = ScriptedJob("nested", log: job.log, queue: queue) { nested in
                    let block = BlockOperation {}
                    block.name = "block"
                    nested.trackAndQueue(block, group: .named("g"))
                    nested.trackAndQueue(InstantOperation("leaf"), group: .named("g"))
                }
                job.trackAndQueue(nested, on: other)
            }
            job.startJob(on: queue)
            await bounded { await job.waitForFinish() }
            XCTAssertEqual(
                job.events,
                [
                    "task block", "task leaf", "group g", "all", "task nested",
                    "group ScriptedJob", "all",
                ]
            )
        }
    }

    /// The chain passes through jobs on other queues, which are also limited to 1.
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

    func testNoTaskUsesTheJobsPermitWhileItsCallbackRuns() async throws {
        final class Counting: ConcurrentOperation, @unchecked Sendable {
            let running: Gauge
            init(_ running: Gauge) { self.running = running }
            override func main() {
                running.enter()
                running.leave()
                finish()
            }
        }
        final class Gauge: Sendable {
            let count = Atomic(0)
            let most = Atomic(0)
            func enter() {
                let now = count.add(1, ordering: .sequentiallyConsistent).newValue
                _ = most.max(now, ordering: .sequentiallyConsistent)
            }
            func leave() { count.subtract(1, ordering: .sequentiallyConsistent) }
        }
        final class Busy: JobController, @unchecked Sendable {
            let gauge = Gauge()
            override func main() {
                gauge.enter()
                for _ in 0..<500 { trackAndQueue(Counting(gauge)) }
                gauge.leave()
            }
            override func taskFinished(_ task: Operation) {
                gauge.enter()
                gauge.leave()
            }
        }
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        for _ in 0..<10 {
            let job = Busy(queue: queue)
            try await job.run(on: queue)
            XCTAssertEqual(job.gauge.most.load(ordering: .relaxed), 1)
        }
    }

    /// A job also lends its permit if it begins to wait for a task that is being queued.
    func testTaskOfTwoJobsUsesThePermitOfTheOneThatWaits() async {
        for isInTheQueue in [false, true] {
            let queue = TaskQueue(maxConcurrentOperationCount: 2)
            let (task, open) = (AskedOperation(), HeldOperation("open"))
            let (began, release) = (Gate(), Gate())
            let waiting = ScriptedJob("waiting", queue: queue) { job in
                job.track(open)
                began.open()
            }
            let busy = ScriptedJob("busy", queue: queue) { job in
                if !isInTheQueue { task.whenAsked { waiting.track(task) } }
                job.trackAndQueue(task)
                if isInTheQueue { waiting.track(task) }
                release.wait()
            }
            waiting.startJob(on: queue)
            await wait(for: began)
            busy.startJob(on: queue)
            await wait(for: task.began)
            release.open()
            open.start()
            open.finish()
            for job in [waiting, busy] { await bounded { await job.waitForFinish() } }
        }
    }

    func testTwoJobsInAQueueLimitedToTwoDoNotDeadlock() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 2)
        let jobs = (0..<6)
            .map { _ in
                ScriptedJob(queue: queue) { job in
                    for index in 0..<20 { job.trackAndQueue(InstantOperation("\(index)")) }
                }
            }
        for job in jobs { job.startJob(on: queue) }
        for job in jobs {
            await bounded { await job.waitForFinish() }
            XCTAssertEqual(job.events.count, 22)
        }
    }

    func testJobWithACallbackQueueLendsItsPermit() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let job = ScriptedJob(queue: queue, callbackQueue: DispatchQueue(label: "callbacks")) {
            $0.trackAndQueue(InstantOperation("a"))
        }
        job.onTask = { job, task in
            if task.name == "a" { job.trackAndQueue(InstantOperation("b")) }
        }
        job.startJob(on: queue)
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["task a", "task b", "group InstantOperation", "all"])
    }

    // MARK: Before the job waits or has begun

    /// A task of any kind was in the queue before the job began to track it.
    func testTaskQueuedBeforeItIsTracked() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let nested = ScriptedJob("nested", queue: queue)
        nested.trackAndQueue(InstantOperation("leaf"), on: OperationQueue())
        for task in [BlockOperation {}, ConcurrentOperation(), nested] {
            let job = ScriptedJob(queue: queue) { job in
                queue.addOperation(task)
                job.track(task)
            }
            queue.addOperation(job)
            await drain(queue)
            XCTAssertTrue(job.isFinished)
        }
        XCTAssertEqual(nested.events, ["task leaf", "group InstantOperation", "all"])
    }

    /// A task was tracked and queued before its job started.
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

    // MARK: Limits and barriers

    /// Q4: a queue gets a limit while jobs already wait in it.
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

    /// A barrier waits for a job, so the tasks that the job still adds come before it.
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
        await began.waitUntilOpen()
        queue.addBarrierBlock { log.record("barrier") }
        queue.addOperation { log.record("after") }
        release.open()
        await drain(queue)
        XCTAssertEqual(log.events, ["first", "second", "barrier", "after"])
    }
}

// Operation forces @unchecked. The closure is guarded by a lock.
/// Calls a closure when its `isReady` is read, as a queue does when it adds the operation.
private final class AskedOperation: ConcurrentOperation, @unchecked Sendable {
    let began = Gate()
    private let body = Guarded<(@Sendable () -> Void)?>(nil)

    override var isReady: Bool {
        let body = body.withLock { $0.take() }
        body?()
        return super.isReady
    }

    /// Calls `body` at the next read.
    func whenAsked(_ body: @escaping @Sendable () -> Void) {
        self.body.withLock { $0 = body }
    }

    override func main() {
        began.open()
        finish()
    }
}
