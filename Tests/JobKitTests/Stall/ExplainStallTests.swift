import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// Returns a task that executes until the test finishes it, even if it is cancelled.
private func held(_ name: String) -> HeldOperation {
    HeldOperation(name, stopsWhenCancelled: false)
}

// R4
final class ExplainStallTests: XCTestCase {
    private final class Job: JobController, @unchecked Sendable {
        let begin: (Job) -> Void

        init(_ name: String, begin: @escaping (Job) -> Void) {
            self.begin = begin
            super.init()
            self.name = name
        }

        override func main() { begin(self) }
    }

    private func lines(_ job: JobController) -> [String] {
        job.explainStall().withoutTimes.split(separator: "\n").map(String.init)
    }

    func testJobThatWasNotStartedSaysSo() {
        XCTAssertEqual(Job("import") { _ in }.explainStall(), "import: not started")
    }

    func testFinishedJobSaysSo() async throws {
        let job = Job("import") { _ in }
        try await job.run()
        XCTAssertEqual(job.explainStall(), "import: finished")
    }

    func testEachUnfinishedTaskSaysWhy() async {
        let suspended = TaskQueue(name: "downloads")
        suspended.isSuspended = true
        let full = TaskQueue(name: "uploads", maxConcurrentOperationCount: 1)
        let occupant = held("occupant")
        full.addOperation(occupant)
        let waiting = held("waiting")
        let running = held("running")
        let stopping = held("stopping")
        let job = Job("import") { job in
            job.track(held("forgotten"))
            job.trackAndQueue(held("paused"), on: suspended)
            job.trackAndQueue(held("squeezed"), on: full)
            waiting.addDependency(running)
            job.trackAndQueue(waiting)
            job.track(running)
            running.start()
            job.setMaxConcurrentOperationCount(1, for: .named("narrow"))
            job.trackAndQueue(held("first"), on: suspended, group: .named("narrow"))
            job.trackAndQueue(held("second"), on: suspended, group: .named("narrow"))
            job.track(stopping)
            stopping.start()
            stopping.cancel()
        }
        await wait(for: occupant.began)
        job.start()
        let lines = lines(job)
        XCTAssertEqual(lines.first, "import: executing")
        let expected = [
            "forgotten: never queued", "paused: suspended: downloads",
            "squeezed: full: uploads, where occupant executes", "waiting: waits for running",
            "running: executing", "first: suspended: downloads",
            "second: never queued, because only 1 of group narrow may run at a time",
            "stopping: executing, cancelled",
        ]
        XCTAssertEqual(lines.count, expected.count + 1)
        for (line, beginning) in zip(lines.dropFirst(), expected) {
            XCTAssertTrue(line.hasPrefix(beginning), "\(line) does not begin with \(beginning)")
        }
        occupant.finish()
        job.cancel()
        for task in [running, stopping] { task.finish() }
    }

    func testTaskSaysHowLongItHasBeenExecuting() {
        let task = held("upload")
        let job = Job("import") { $0.track(task) }
        job.start()
        task.start()
        let start = task.enteredMainAt.load(ordering: .relaxed)
        func line(after seconds: Int) -> String {
            let now = CoarseTime(rawValue: start &+ UInt32(seconds * 8))
            return String(job.explainStall(at: now).split(separator: "\n")[1])
        }
        XCTAssertEqual(line(after: 0), "upload: executing")
        XCTAssertEqual(line(after: 12), "upload: executing for 12 s")
        XCTAssertEqual(line(after: 180), "upload: executing for 3 min")
        XCTAssertEqual(line(after: 20_000), "upload: executing for 5 h")
        job.cancel()
        let request = task.stopRequestedAt.load(ordering: .relaxed)
        // The task is cancelled after the report has read the time.
        task.stopRequestedAt.store(start &+ 1, ordering: .relaxed)
        XCTAssertEqual(line(after: 0), "upload: executing, cancelled")
        task.stopRequestedAt.store(start &+ 28 * 8, ordering: .relaxed)
        XCTAssertEqual(line(after: 40), "upload: executing for 40 s, cancelled 12 s ago")
        task.stopRequestedAt.store(request, ordering: .relaxed)
        task.finish()
    }

    func testOperationAddsItsOwnWordsToItsLine() async throws {
        final class Remote: ConcurrentOperation, @unchecked Sendable {
            override func main() {}
            override func didCancel() { finish() }
            override var statusNote: String? { "on h2,\nattempt 2" }
        }
        final class Hosts: JobController, @unchecked Sendable {
            let (remote, waiting) = (Remote(), Remote())
            override func main() {
                (name, remote.name, waiting.name) = ("import", "hash a.jpg", "hash b.jpg")
                track(remote)
                track(waiting)
            }
            override var statusNote: String? { "3 hosts" }
        }
        let job = Hosts()
        job.start()
        job.remote.start()
        XCTAssertEqual(
            lines(job),
            [
                "import: executing (3 hosts)",
                "hash a.jpg: executing (on h2,␊attempt 2)",
                "hash b.jpg: never queued (on h2,␊attempt 2)",
            ]
        )
        job.cancel()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(lines(job), ["import: finished"])
    }

    func testTasksOfNestedJobsAreExplainedToo() {
        let inner = Job("inner") { $0.track(held("leaf")) }
        let job = Job("outer") { job in
            job.track(inner)
            inner.start()
        }
        job.start()
        XCTAssertEqual(
            lines(job),
            ["outer: executing", "inner: executing", "leaf: never queued"]
        )
        job.cancel()
    }

    func testPlainOperationsOnAnOperationQueueAreExplained() async {
        let queue = OperationQueue()
        queue.name = "plain"
        queue.isSuspended = true
        let task = BlockOperation {}
        task.name = "block"
        let job = Job("outer") { $0.trackAndQueue(task, on: queue) }
        job.start()
        XCTAssertEqual(lines(job).last, "block: suspended: plain")
        queue.isSuspended = false
        await bounded { await task.waitForFinish() }
    }

    func testPlainOperationThatSomebodyElseQueuedIsExplained() async {
        let queue = TaskQueue(name: "elsewhere")
        queue.isSuspended = true
        let task = BlockOperation {}
        task.name = "block"
        let job = Job("outer") { $0.track(task) }
        job.start()
        XCTAssertEqual(lines(job).last, "block: never queued")
        queue.addOperation(task)
        XCTAssertEqual(lines(job).last, "block: suspended: elsewhere")
        task.cancel()
        XCTAssertEqual(lines(job).last, "block: suspended: elsewhere, cancelled")
        queue.isSuspended = false
        await bounded { await task.waitForFinish() }
    }

    func testTaskBehindABarrierNamesTheOperationsBeforeIt() async {
        let queue = TaskQueue(name: "disk")
        let occupants = [held("first"), held("second")]
        let job = Job("outer") { $0.trackAndQueue(ConcurrentOperation(), on: queue) }
        for occupant in occupants { queue.addOperation(occupant) }
        for occupant in occupants { await wait(for: occupant.began) }
        queue.addBarrierBlock {}
        job.start()
        XCTAssertEqual(
            lines(job).last,
            "ConcurrentOperation: waits for a barrier: disk, where first, second execute"
        )
        for occupant in occupants { occupant.finish() }
        await bounded { await job.waitForFinish() }
    }

    func testManyTasksThatWaitInOneQueueAreExplained() async {
        let queue = TaskQueue(name: "narrow", maxConcurrentOperationCount: 1)
        let occupant = held("occupant")
        queue.addOperation(occupant)
        await wait(for: occupant.began)
        let job = Job("outer") { job in
            for number in 0..<1_000 { job.trackAndQueue(held("\(number)"), on: queue) }
        }
        job.start()
        XCTAssertEqual(
            lines(job),
            [
                "outer: executing",
                "0: full: narrow, where occupant executes; and 399 more like it: "
                    + "1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 389 more", "… and 600 more",
            ]
        )
        let all = job.explainStall(limit: .max)
        XCTAssertTrue(all.contains("and 999 more like it"), all)
        job.cancel()
        occupant.finish()
    }

    func testTasksOfAWorkflowNameTheirPredecessors() async {
        final class Later: LaunchTask, @unchecked Sendable {
            let began = Gate()
            override var finishesAsynchronously: Bool { true }
            override func main(context: LaunchContext) { began.open() }
        }
        let slow = Later(name: "slow", queue: .concurrentQueue)
        let gated = Later(name: "gated", queue: .concurrentQueue)
        let workflow = TaskWorkflow(name: "Launch")
        workflow.addTask(gated)
        workflow.addBlockingTasks([slow])
        workflow.addTask(Later(name: "behind"))
        workflow.addGate("screen")
        workflow.addTask(Later(name: "late", queue: .concurrentQueue))
        XCTAssertEqual(
            lines(workflow).last,
            "late: never queued, because its workflow was not started"
        )
        workflow.start()
        await slow.began.waitUntilOpen()
        await gated.began.waitUntilOpen()
        XCTAssertEqual(
            lines(workflow),
            [
                "Launch: executing", "gated: executing", "slow: executing",
                "behind: waits for slow", "late: waits for slow",
            ]
        )
        slow.finish()
        XCTAssertEqual(
            lines(workflow).last,
            "late: never queued, because the gate screen is closed"
        )
        workflow.cancel()
    }
}
