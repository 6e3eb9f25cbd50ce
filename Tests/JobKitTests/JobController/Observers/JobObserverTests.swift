import Foundation
import JobKit
import JobKitTesting
import XCTest

// R2
final class JobObserverTests: XCTestCase {
    private struct Refused: Error {}

    private static let all: [JobEvent.Kind] = [.tracked, .started, .finished, .delivered]

    private final class Parent: JobController, @unchecked Sendable {
        let tasks: [Operation]

        init(
            _ name: String,
            _ tasks: [Operation],
            queue: any OperationScheduling = TaskQueue.shared
        ) {
            self.tasks = tasks
            super.init(queue: queue)
            self.name = name
        }

        override func main() {
            for task in tasks { trackAndQueue(task) }
        }

        override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse {
            .carryOn
        }
    }

    private func named<Task: Operation>(_ name: String, _ task: Task) -> Task {
        task.name = name
        return task
    }

    func testOwnEventsAreTheFirstAndTheLast() async throws {
        let collector = EventCollector()
        let job = Parent("job", [named("a", ConcurrentOperation()), named("b", BlockOperation {})])
        job.addObserver(collector)
        try await job.run()
        XCTAssertEqual(collector.log.events.first, "job started")
        XCTAssertEqual(collector.log.events.last, "job finished")
        XCTAssertEqual(collector.kinds(of: "job"), [.started, .finished])
        XCTAssertEqual(collector.kinds(of: "a"), Self.all)
        XCTAssertEqual(collector.kinds(of: "b"), Self.all)
    }

    func testNestedJobsReportToo() async throws {
        let collector = EventCollector()
        let inner = Parent("inner", [named("leaf", ConcurrentOperation())])
        let job = Parent("outer", [inner])
        job.addObserver(collector)
        try await job.run()
        XCTAssertEqual(collector.kinds(of: "inner"), Self.all)
        XCTAssertEqual(collector.kinds(of: "leaf"), Self.all)
        let ids = Dictionary(
            collector.events.map { ($0.name, $0.operationID) },
            uniquingKeysWith: { first, _ in first }
        )
        XCTAssertEqual(Set(ids.values).count, 3)
        for event in collector.events {
            switch event.name {
            case "outer": XCTAssertNil(event.parentID)
            case "inner": XCTAssertEqual(event.parentID, ids["outer"])
            default: XCTAssertEqual(event.parentID, ids["inner"])
            }
        }
    }

    func testObserverAddedLateReceivesLaterEventsOfNestedJobs() async throws {
        let collector = EventCollector()
        let queue = StepQueue()
        let inner = Parent("inner", [named("leaf", ConcurrentOperation())], queue: queue)
        let job = Parent("outer", [inner], queue: queue)
        job.startJob(on: queue)
        queue.runNext()
        job.addObserver(collector)
        queue.runAll(seed: 1)
        XCTAssertEqual(
            collector.log.events,
            [
                "inner started", "leaf tracked", "leaf started", "leaf finished", "leaf delivered",
                "inner finished", "inner delivered", "outer finished",
            ]
        )
    }

    func testFinishedEventHasTheOutcome() async throws {
        let collector = EventCollector()
        let failing = named("failing", ConcurrentOperation())
        failing.finish(with: Refused())
        let cancelled = named("cancelled", ConcurrentOperation())
        cancelled.cancel()
        let job = Parent("job", [failing, cancelled, named("fine", ConcurrentOperation())])
        job.addObserver(collector)
        try await job.run()
        let outcomes = collector.events.filter { $0.kind == .finished }
            .reduce(into: [String: String]()) { $0[$1.name] = $1.outcome.map { "\($0)" } ?? "none" }
        XCTAssertEqual(
            outcomes,
            [
                "failing": "\(OperationOutcome.failed(Refused()))", "cancelled": "cancelled",
                "fine": "succeeded",
                "job": "succeeded",
            ]
        )
        XCTAssertTrue(collector.events.allSatisfy { $0.kind == .finished || $0.outcome == nil })
    }

    func testEventComesBeforeTheStepThatItEnables() async throws {
        final class Checks: JobController, @unchecked Sendable {
            let collector = EventCollector()
            var seen: [[String]] = []

            override func main() {
                let task = ConcurrentOperation()
                task.name = "task"
                trackAndQueue(task) { _ in self.seen.append(self.collector.log.events) }
            }

            override func allTasksFinished() { seen.append(collector.log.events) }
        }
        let job = Checks()
        job.name = "job"
        job.addObserver(job.collector)
        try await job.run()
        XCTAssertEqual(job.seen.first?.last, "task finished")
        XCTAssertEqual(job.seen.last?.last, "task delivered")
    }

    func testCancelledJobHasAStartAndAFinishEvent() async {
        let collector = EventCollector()
        let job = Parent("job", [])
        job.addObserver(collector)
        let finished = expectation(description: "finished")
        job.completionBlock = { finished.fulfill() }
        job.cancel()
        job.startJob()
        await fulfillment(of: [finished], timeout: 300)
        XCTAssertEqual(collector.log.events, ["job started", "job finished"])
    }

    func testJobFinishedBeforeItsStartHasNoStartEvent() async throws {
        for fails in [false, true] {
            let collector = EventCollector()
            let nested = Parent("nested", [])
            if fails { nested.finish(with: SampleError("early")) } else { nested.finish() }
            let job = ScriptedJob { $0.trackAndQueue(nested, failure: .carryOn) }
            job.addObserver(collector)
            try await job.run()
            XCTAssertEqual(collector.kinds(of: "nested"), [.tracked, .finished, .delivered])
        }
    }

    func testNoEventFollowsTheFinishOfACancelledJob() async {
        let collector = EventCollector()
        let queue = StepQueue()
        let running = HeldOperation("running", stopsWhenCancelled: false)
        let tasks = [named("never started", ConcurrentOperation()), running]
        let job = Parent("job", tasks, queue: queue)
        job.addObserver(collector)
        job.startJob(on: queue)
        queue.runNext()
        running.start()
        job.cancel()
        running.finish()
        await bounded { await job.waitForFinish() }
        // The queue reaches the cancelled task after its job has finished.
        queue.runAll(seed: 1)
        XCTAssertTrue(tasks[0].isFinished)
        XCTAssertEqual(
            collector.log.events,
            [
                "job started", "never started tracked", "running tracked", "running started",
                "never started dropped", "running finished", "job finished",
            ]
        )
    }

    func testCancelledJobWaitsForAnObserverInItsStartEvent() async {
        let (blocking, collector) = (HoldingObserver(.started, of: "task"), EventCollector())
        let task = named("task", ConcurrentOperation())
        let job = Parent("job", [task])
        job.addObserver(blocking)
        job.addObserver(collector)
        job.startJob()
        await blocking.entered.waitUntilOpen()
        job.cancel()
        XCTAssertFalse(job.isFinished)
        blocking.release.open()
        await bounded { await job.waitForFinish() }
        await waitForFinish(ofCancelled: task)
        XCTAssertEqual(
            collector.log.events,
            ["job started", "task tracked", "task started", "task dropped", "job finished"]
        )
    }

    /// Tasks are cancelled as they start, finish and track more.
    ///
    /// The events of each job stay in order.
    func testEventsOfJobsThatAreCancelledAreInOrder() async {
        for seed in 0..<300 {
            let collector = EventCollector()
            let queue = TaskQueue(maxConcurrentOperationCount: 1 + seed % 4)
            let inner = (0..<4)
                .map { number in
                    let leaves = (0..<4)
                        .map { leaf in
                            leaf.isMultiple(of: 2)
                                ? named("\(number).\(leaf)", ConcurrentOperation())
                                : AsyncOperation(name: "\(number).\(leaf)") { await Task.yield() }
                        }
                    return Parent("\(number)", leaves, queue: queue)
                }
            let job = Parent("job", inner, queue: queue)
            job.addObserver(collector)
            job.startJob(on: queue)
            for _ in 0..<seed % 40 { await Task.yield() }
            job.cancel()
            // The queue releases the job when its observers have been notified of the completion.
            await queue.waitForAllOperations()
            XCTAssertEqual(collector.log.events.first, "job started")
            XCTAssertEqual(collector.log.events.last, "job finished")
            for name in Set(collector.events.map(\.name)) where name != "job" {
                let all = collector.kinds(of: name)
                let kinds = all.last == .dropped ? all.dropLast() : all[...]
                // Operations that were cancelled before their start never started.
                let expected = Self.all.filter { $0 != .started || kinds.contains(.started) }
                XCTAssertEqual(Array(kinds), Array(expected.prefix(kinds.count)), name)
            }
        }
    }

    func testObserverOfAFinishedJobIsReleasedWithIt() async throws {
        let released = expectation(description: "released")
        func runJob() async throws {
            let job = Parent("job", [ConcurrentOperation()])
            job.addObserver(EventCollector { released.fulfill() })
            try await job.run()
        }
        try await runJob()
        await fulfillment(of: [released], timeout: 300)
    }
}
