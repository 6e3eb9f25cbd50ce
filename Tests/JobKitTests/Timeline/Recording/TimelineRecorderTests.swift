import Foundation
import JobKit
import JobKitTesting
import XCTest

final class TimelineRecorderTests: XCTestCase {
    private struct Broken: Error {}

    private final class Step: ConcurrentOperation, @unchecked Sendable {
        private let failure: (any Error)?

        init(_ name: String, error: (any Error)? = nil) {
            failure = error
            super.init()
            self.name = name
        }

        override func main() {
            if let failure { finish(with: failure) } else { finish() }
        }
    }

    /// Tracks one step in each callback of the previous step.
    private final class Steps: JobController, @unchecked Sendable {
        private var remaining: [String]

        init(_ names: [String], name: String) {
            remaining = names.reversed()
            super.init()
            self.name = name
        }

        override func main() { next() }

        private func next() {
            guard let name = remaining.popLast() else { return }
            trackAndQueue(Step(name)) { _ in self.next() }
        }
    }

    private final class Import: JobController, @unchecked Sendable {
        override func main() {
            name = "Import"
            let fetch = Steps(["fetch 1", "fetch 2"], name: "Fetch")
            let store = Steps(["store 1", "store 2"], name: "Store")
            let broken = Step("broken", error: Broken())
            // This ensures that the broken task is not the last to end.
            fetch.addDependency(broken)
            store.addDependency(fetch)
            trackAndQueue(fetch)
            trackAndQueue(store)
            trackAndQueue(broken)
        }

        override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse {
            .carryOn
        }
    }

    func testJobThatTracksTheFinishedJobThatHasLeftItIsBelowIt() async {
        let upper = JobController(name: "upper")
        let lower = JobController(name: "lower")
        let recorder = TimelineRecorder()
        for job in [upper, lower] { job.addObserver(recorder) }
        let task = EventOperation<Void>(name: "task")
        lower.track(task) { [unowned lower] _ in lower.track(upper) }
        upper.track(lower, cancellation: .leaveRunning)
        upper.start()
        lower.start()
        upper.finish()
        await upper.waitForFinish()
        task.start()
        task.finish()
        await lower.waitForFinish()
        let timeline = recorder.timeline
        XCTAssertEqual(timeline.entries.map(\.name), ["upper", "lower", "task"])
        XCTAssertEqual(timeline.entries.map(\.parent), [nil, 0, 1])
    }

    // R5, R6
    func testJobIsRecordedWithItsTasksAndItsCriticalPath() async throws {
        let job = Import()
        job.name = "Import"
        let recorder = TimelineRecorder()
        job.addObserver(recorder)
        try await job.run()
        let timeline = recorder.timeline
        let names = timeline.entries.map(\.name)
        XCTAssertEqual(names.first, "Import")
        XCTAssertEqual(
            Set(names),
            [
                "Import", "Fetch", "Store", "fetch 1", "fetch 2", "store 1", "store 2", "broken",
            ]
        )
        XCTAssertEqual(names.count, 8)
        for entry in timeline.entries {
            let parent = entry.parent.map { timeline.entries[$0] }
            switch entry.name {
            case "Import": XCTAssertNil(parent)
            case "Fetch", "Store", "broken": XCTAssertEqual(parent?.name, "Import")
            case "fetch 1", "fetch 2": XCTAssertEqual(parent?.name, "Fetch")
            default: XCTAssertEqual(parent?.name, "Store")
            }
            if let parent {
                XCTAssertLessThanOrEqual(parent.start, entry.start, entry.name)
                XCTAssertLessThanOrEqual(entry.end, parent.end, entry.name)
            }
            if entry.name == "broken" {
                guard case .failed(let error)? = entry.outcome else {
                    XCTFail("broken has not failed")
                    continue
                }
                XCTAssertTrue(error is Broken)
            } else {
                guard case .succeeded? = entry.outcome else {
                    XCTFail("\(entry.name) has not succeeded")
                    continue
                }
            }
        }
        XCTAssertEqual(
            timeline.criticalPath.map(\.name),
            ["broken", "fetch 1", "fetch 2", "store 1", "store 2"]
        )
    }

    func testTimelineOfARunningJobIsASnapshot() async throws {
        let release = Gate()
        let began = Gate()
        let recorder = TimelineRecorder()
        let job = AsyncJob {
            began.open()
            await release.waitUntilOpen()
        }
        job.addObserver(recorder)
        async let end: Void = job.run()
        await began.waitUntilOpen()
        let running = recorder.timeline
        XCTAssertEqual(running.entries.count, 2)
        XCTAssertTrue(running.entries.allSatisfy { $0.outcome == nil })
        release.open()
        try await end
        XCTAssertTrue(recorder.timeline.entries.allSatisfy { $0.outcome != nil })
        XCTAssertTrue(running.criticalPath.isEmpty)
    }

    func testOperationsOfFoundationsAreRecorded() async throws {
        final class Blocks: JobController, @unchecked Sendable {
            let foundationQueue = OperationQueue()

            override func main() {
                let first = BlockOperation {}
                let second = BlockOperation {}
                first.name = "first"
                second.name = "second"
                second.addDependency(first)
                trackAndQueue(second, on: foundationQueue)
                trackAndQueue(first)
            }
        }
        let job = Blocks()
        let recorder = TimelineRecorder()
        job.addObserver(recorder)
        try await job.run()
        let entries = recorder.timeline.entries
        XCTAssertEqual(Set(entries.map(\.name)), ["Blocks", "first", "second"])
        for entry in entries {
            guard case .succeeded? = entry.outcome else {
                XCTFail("\(entry.name) has not succeeded")
                continue
            }
        }
    }

    func testRecorderAddedLateRecordsTheJob() async throws {
        let release = Gate()
        let began = Gate()
        let recorder = TimelineRecorder()
        let job = AsyncJob {
            began.open()
            await release.waitUntilOpen()
        }
        job.name = "late"
        async let end: Void = job.run()
        await began.waitUntilOpen()
        job.addObserver(recorder)
        release.open()
        try await end
        XCTAssertEqual(recorder.timeline.entries.map(\.name), ["late", "work"])
        XCTAssertEqual(recorder.timeline.entries.map(\.parent), [nil, 0])
    }

    func testAllStepsOfALongJobAreOnItsCriticalPath() async throws {
        let names = (0..<2_000).map { "step \($0)" }
        let job = Steps(names, name: "Steps")
        let recorder = TimelineRecorder()
        job.addObserver(recorder)
        try await job.run()
        let timeline = recorder.timeline
        XCTAssertEqual(timeline.criticalPath.map(\.name), names)
    }

    // R5: a task that was tracked outside callbacks has no predecessor
    func testTaskTrackedOutsideCallbacksBeginsAPath() async {
        let delivered = expectation(description: "delivered")
        let job = ScriptedJob { job in
            job.track(HeldOperation("held"))
            job.trackAndQueue(Step("first")) { _ in delivered.fulfill() }
        }
        let recorder = TimelineRecorder()
        job.addObserver(recorder)
        job.startJob()
        await fulfillment(of: [delivered], timeout: 300)
        let second = Step("second")
        job.trackAndQueue(second)
        await bounded { await second.waitForFinish() }
        XCTAssertEqual(recorder.timeline.criticalPath.map(\.name), ["second"])
        job.cancel()
    }

    // R5: the callbacks of a group and of the job follow the task that caused them
    func testTaskOfAGroupsCallbackFollowsTheLastOfTheGroup() async throws {
        let queue = StepQueue()
        let job = ScriptedJob(queue: queue) { job in
            for name in ["a", "b"] {
                job.trackAndQueue(Step(name), group: .named("pair")) { _ in }
            }
            job.setCompletion(for: .named("pair")) { job.trackAndQueue(Step("c")) }
        }
        job.onAll = { job in
            job.onAll = nil
            job.trackAndQueue(Step("d"))
        }
        let recorder = TimelineRecorder()
        job.addObserver(recorder)
        job.startJob(on: queue)
        while queue.runNext() != nil {}
        XCTAssertEqual(recorder.timeline.criticalPath.map(\.name), ["b", "c", "d"])
    }

    // R5: the dependent starts and ends before JobKit is notified of the completion
    func testPlainTaskWhoseStartReturnsLateIsBeforeItsDependent() async {
        let (first, second) = (LateOperation(), BlockOperation {})
        (first.name, second.name) = ("first", "second")
        second.addDependency(first)
        let job = ScriptedJob { job in
            job.trackAndQueue(first)
            job.trackAndQueue(second)
        }
        let recorder = TimelineRecorder()
        job.addObserver(recorder)
        job.startJob()
        await bounded { await second.waitForFinish() }
        first.goOn.open()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(recorder.timeline.criticalPath.map(\.name), ["first", "second"])
    }

    // Operation forces @unchecked. The gate is a constant.
    /// Its `isFinished` becomes true before its `start()` returns.
    private final class LateOperation: Operation, @unchecked Sendable {
        let goOn = Gate()

        override func start() {
            super.start()
            goOn.wait()
        }
    }

    /// Returns a job with one asynchronous task.
    private final class AsyncJob: JobController, @unchecked Sendable {
        private let body: @Sendable () async -> Void

        init(_ body: @escaping @Sendable () async -> Void) {
            self.body = body
            super.init()
        }

        override func main() {
            trackAndQueue(AsyncOperation(name: "work", body))
        }
    }
}
