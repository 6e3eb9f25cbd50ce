import Foundation
import JobKit
import JobKitTesting
import Synchronization
import XCTest

// J12
final class BorrowedPlaceTests: XCTestCase {
    // One of both finds the other, whichever comes first.
    func testTaskIsAddedWhileItsJobBegins() async {
        for _ in 0..<1_000 {
            let queue = TaskQueue(maxConcurrentOperationCount: 1)
            let (job, task) = (JobController(), InstantOperation("task"))
            job.track(task)
            await runOnThreads(2) { queue.addOperation($0 == 0 ? job : task) }
            await waitForFinish(of: job)
            guard job.isFinished else { return }
        }
    }

    func testNestedJobsAndTheirTasksRunOnOneQueueOfWidthOne() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let job = ScriptedJob(queue: queue) { job in
            for branch in 0..<3 {
                let nested = ScriptedJob("\(branch)", log: job.log, queue: queue) { nested in
                    for leaf in 0..<3 {
                        nested.trackAndQueue(InstantOperation("\(branch).\(leaf)"))
                    }
                }
                job.trackAndQueue(nested)
            }
        }
        job.startJob(on: queue)
        await waitForFinish(of: job)
        XCTAssertEqual(job.events.filter { $0.hasPrefix("task") }.count, 12)
        XCTAssertEqual(job.events.last, "all")
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
            await waitForFinish(of: job)
            XCTAssertEqual(
                job.events,
                [
                    "task block", "task leaf", "group g", "all", "task nested",
                    "group ScriptedJob", "all",
                ]
            )
        }
    }

    func testExactlyOneTaskRunsInTheJobsPlace() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let tasks = (0..<4).map { HeldOperation("\($0)") }
        let job = ScriptedJob(queue: queue) { job in for task in tasks { job.trackAndQueue(task) } }
        job.startJob(on: queue)
        for task in tasks {
            await wait(for: task.began)
            XCTAssertEqual(tasks.filter(\.isExecuting).map(\.name), [task.name])
            task.finish()
        }
        await waitForFinish(of: job)
    }

    func testNoTaskRunsInTheJobsPlaceWhileItsCallbackRuns() async throws {
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

    /// A job that begins to wait for a task on its way into the queue, or just after, lends its
    /// place too.
    func testTaskOfTwoJobsRunsInThePlaceOfTheOneThatWaits() async {
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
            for job in [waiting, busy] { await waitForFinish(of: job) }
        }
    }

    func testTwoJobsOfOneQueueOfWidthTwoDoNotDeadlock() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 2)
        let jobs = (0..<6)
            .map { _ in
                ScriptedJob(queue: queue) { job in
                    for index in 0..<20 { job.trackAndQueue(InstantOperation("\(index)")) }
                }
            }
        for job in jobs { job.startJob(on: queue) }
        for job in jobs {
            await waitForFinish(of: job)
            XCTAssertEqual(job.events.count, 22)
        }
    }

    func testJobWithACallbackQueueLendsItsPlace() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let job = ScriptedJob(queue: queue, callbackQueue: DispatchQueue(label: "callbacks")) {
            $0.trackAndQueue(InstantOperation("a"))
        }
        job.onTask = { job, task in
            if task.name == "a" { job.trackAndQueue(InstantOperation("b")) }
        }
        job.startJob(on: queue)
        await waitForFinish(of: job)
        XCTAssertEqual(job.events, ["task a", "task b", "group InstantOperation", "all"])
    }

    func testJobWithTasksThatWasQueuedBeforeItWasTrackedRunsInTheJobsPlace() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let log = EventLog()
        let nested = ScriptedJob("nested", log: log, queue: queue)
        nested.trackAndQueue(InstantOperation("leaf"), on: OperationQueue())
        let job = ScriptedJob(log: log, queue: queue) { job in
            queue.addOperation(nested)
            job.track(nested)
        }
        job.startJob(on: queue)
        await waitForFinish(of: job)
        XCTAssertEqual(
            log.events,
            [
                "task leaf", "group InstantOperation", "all", "task nested", "group ScriptedJob",
                "all",
            ]
        )
    }
}

// Operation forces @unchecked. The closure stands behind a lock.
/// Calls a closure when it is asked whether it is ready, which a queue does that takes it in.
private final class AskedOperation: ConcurrentOperation, @unchecked Sendable {
    let began = Gate()
    private let body = Guarded<(@Sendable () -> Void)?>(nil)

    override var isReady: Bool {
        let body = body.withLock { $0.take() }
        body?()
        return super.isReady
    }

    /// Has `body` called at the next question.
    func whenAsked(_ body: @escaping @Sendable () -> Void) {
        self.body.withLock { $0 = body }
    }

    override func main() {
        began.open()
        finish()
    }
}
