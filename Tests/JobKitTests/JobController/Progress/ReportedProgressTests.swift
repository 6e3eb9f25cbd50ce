import Foundation
import JobKit
import JobKitTesting
import XCTest

// R3
final class ReportedProgressTests: XCTestCase {
    /// Returns an executing job that only waits for tasks that are never started.
    private func job(_ name: String = "job", tracking tasks: [(Operation, Int64)]) -> ScriptedJob {
        let job = ScriptedJob(name) { job in
            for (task, weight) in tasks { job.track(task, weight: weight) }
        }
        job.start()
        return job
    }

    func testFractionOfATaskCountsWithinItsWeight() async {
        let (small, large) = (HeldOperation("small"), HeldOperation("large"))
        let job = job(tracking: [(small, 1), (large, 3)])
        let progress = job.progress
        small.start()
        large.start()
        large.reportProgress(0.5)
        XCTAssertEqual(progress.fractionCompleted, 0.375)
        small.finish()
        await eventually { progress.fractionCompleted == 0.625 }
        large.reportProgress(1)
        XCTAssertLessThan(progress.fractionCompleted, 1)
        large.finish()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(progress.fractionCompleted, 1)
    }

    func testFractionNeverDecreases() {
        let task = HeldOperation("task")
        let progress = job(tracking: [(task, 1), (HeldOperation("other"), 1)]).progress
        task.reportProgress(0.5)
        for less in [0.4, 0, -1, .nan, -.infinity] {
            task.reportProgress(less)
            XCTAssertEqual(progress.fractionCompleted, 0.25)
        }
    }

    func testFractionOutsideOfItsBoundsCountsAsTheNearerOne() {
        for (said, expected) in [
            (Double.nan, 0), (-3, 0), (-.infinity, 0), (7, 0.5), (.infinity, 0.5), (-0.0, 0),
            (.leastNonzeroMagnitude, 0),
        ] {
            let task = HeldOperation("task")
            let progress = job(tracking: [(task, 1), (HeldOperation("other"), 1)]).progress
            task.reportProgress(said)
            XCTAssertEqual(progress.fractionCompleted, expected, "\(said)")
        }
    }

    func testJobThatReportsItsFractionIsNotCountedByItsTasks() async {
        let tasks = ["a", "b"].map { HeldOperation($0) }
        let job = job(tracking: tasks.map { ($0, 1) })
        let progress = job.progress
        job.reportProgress(0)
        for task in tasks { task.start() }
        tasks[0].finish()
        await job.log.waitForEvent("task a")
        XCTAssertEqual(progress.fractionCompleted, 0)
        job.reportProgress(0.2)
        XCTAssertEqual(progress.fractionCompleted, 0.2)
        job.reportProgress(1)
        XCTAssertLessThan(progress.fractionCompleted, 1)
        tasks[1].finish()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(progress.fractionCompleted, 1)
    }

    func testProgressOfTasksIsKeptWhenTheJobReportsLess() async {
        let tasks = ["a", "b"].map { HeldOperation($0) }
        let job = job(tracking: tasks.map { ($0, 1) })
        let progress = job.progress
        tasks[0].start()
        tasks[0].finish()
        await job.log.waitForEvent("task a")
        await eventually { progress.fractionCompleted == 0.5 }
        job.reportProgress(0.1)
        XCTAssertEqual(progress.fractionCompleted, 0.5)
        job.reportProgress(0.75)
        XCTAssertEqual(progress.fractionCompleted, 0.75)
    }

    func testFractionReachesTheJobsAboveByTheirWeights() {
        let leaf = HeldOperation("leaf")
        let inner = job("inner", tracking: [(leaf, 1), (HeldOperation("rest"), 1)])
        let sayer = job("sayer", tracking: [(HeldOperation("own"), 1)])
        let outer = job("outer", tracking: [(inner, 2), (sayer, 1), (HeldOperation("last"), 1)])
        let progress = outer.progress
        leaf.reportProgress(0.5)
        XCTAssertEqual(progress.fractionCompleted, 0.125)
        sayer.reportProgress(0.5)
        XCTAssertEqual(progress.fractionCompleted, 0.25)
        XCTAssertEqual(inner.progress.fractionCompleted, 0.25)
        XCTAssertEqual(sayer.progress.fractionCompleted, 0.5)
    }

    func testFractionReportedBeforeProgressIsReadCounts() {
        let leaf = HeldOperation("leaf")
        let inner = job("inner", tracking: [(leaf, 1), (HeldOperation("rest"), 1)])
        let sayer = job("sayer", tracking: [])
        let outer = job("outer", tracking: [(inner, 1), (sayer, 1)])
        leaf.reportProgress(0.5)
        XCTAssertEqual(outer.progress.fractionCompleted, 0.625)
    }

    func testFractionReportedBeforeTrackingCounts() {
        let (task, leaf) = (HeldOperation("task"), HeldOperation("leaf"))
        let nested = job("nested", tracking: [(leaf, 1)])
        task.reportProgress(0.5)
        leaf.reportProgress(0.5)
        let job = ScriptedJob()
        let progress = job.progress
        job.track(task)
        job.track(nested)
        job.start()
        leaf.reportProgress(0.75)
        XCTAssertEqual(progress.fractionCompleted, 0.625)
    }

    func testFractionSaidAfterTheFinishChangesNothing() async {
        let tasks = ["a", "b"].map { HeldOperation($0) }
        let failing = ScriptedJob { job in
            for task in tasks { job.track(task) }
        }
        failing.start()
        let progress = failing.progress
        for task in tasks { task.start() }
        failing.finish(with: SampleError("end"))
        await bounded { await failing.waitForFinish() }
        tasks[0].reportProgress(1)
        failing.reportProgress(0.9)
        XCTAssertEqual(progress.fractionCompleted, 0)
    }

    func testManyThreadsReportAndTheMostCounts() async {
        let task = HeldOperation("task")
        let progress = job(tracking: [(task, 1), (HeldOperation("other"), 1)]).progress
        await runOnThreads(4) { number in
            for step in 1...1_000 { task.reportProgress(Double(step * 4 - number) / 4_000) }
        }
        XCTAssertEqual(progress.fractionCompleted, 0.5)
    }

    func testSuccessIsSeenWithAFractionOfOne() async throws {
        // Polls from another thread that the fraction is never below 1 in a finished job.
        for _ in 0..<rounds(of: 500) {
            let job = ScriptedJob { $0.trackAndQueue(InstantOperation("a")) }
            let progress = job.progress
            let began = Gate()
            let end = expectation(description: "seen")
            Thread.detachNewThread {
                began.open()
                spin { job.isFinished }
                XCTAssertEqual(progress.fractionCompleted, 1)
                end.fulfill()
            }
            await began.waitUntilOpen()
            job.startJob()
            await fulfillment(of: [end], timeout: 300)
        }
    }
}
