import Foundation
import JobKit
import JobKitTesting
import XCTest

// R4
final class JobSnapshotTests: XCTestCase {
    func testSnapshotHoldsTheJobAndItsUnfinishedTasks() throws {
        let queue = StepQueue()
        let inner = ScriptedJob("album", queue: queue) { $0.trackAndQueue(HeldOperation("c.jpg")) }
        let job = ScriptedJob("import", queue: queue) { job in
            job.onFailure = { _, _ in .carryOn }
            job.trackAndQueue(InstantOperation("a.jpg", failure: SampleError("offline")))
            job.trackAndQueue(InstantOperation("b.jpg"))
            job.trackAndQueue(inner)
            job.track(BlockOperation {})
        }
        XCTAssertEqual(job.snapshot().state, .waiting)
        job.startJob(on: queue)
        for _ in 0..<5 { queue.runNext() }
        let snapshot = job.snapshot()
        XCTAssertEqual(snapshot.id, job.operationID)
        XCTAssertEqual(snapshot.name, "import")
        XCTAssertEqual(snapshot.type, "ScriptedJob")
        XCTAssertEqual(snapshot.state, .executing)
        XCTAssertEqual(snapshot.fractionCompleted, 0.5)
        XCTAssertEqual(snapshot.trackedCount, 4)
        XCTAssertEqual(snapshot.finishedCount, 2)
        XCTAssertEqual(snapshot.failedCount, 1)
        XCTAssertEqual(snapshot.omittedCount, 0)
        XCTAssertEqual(snapshot.unfinished.map(\.name), ["album", "\(BlockOperation.self)"])
        XCTAssertEqual(snapshot.unfinished.map(\.state), [.executing, .waiting])
        XCTAssertEqual(snapshot.unfinished[0].unfinished.map(\.name), ["c.jpg"])
        XCTAssertEqual(snapshot.unfinished[0].unfinished[0].id, inner.trackedTasks[0].operationID)
        job.cancel()
    }

    func testSnapshotOfAFinishedJobHasItsOutcome() async throws {
        let job = ScriptedJob("import") { $0.trackAndQueue(InstantOperation("a")) }
        try await job.run()
        XCTAssertEqual(job.snapshot().state, .succeeded)
        XCTAssertEqual(job.snapshot().fractionCompleted, 1)
        XCTAssertEqual(job.snapshot().finishedCount, 1)
        let cancelled = ScriptedJob("import")
        cancelled.cancel()
        cancelled.startJob()
        await waitForFinish(ofCancelled: cancelled)
        XCTAssertEqual(cancelled.snapshot().state, .cancelled)
    }

    func testLimitCountsNestedTasksAndOmittedOnesAreCounted() {
        let inner = ScriptedJob("inner") { job in
            for number in 0..<10 { job.track(HeldOperation("\(number)")) }
        }
        let job = ScriptedJob("outer") { job in
            job.track(inner)
            for number in 0..<5 { job.track(HeldOperation("late \(number)")) }
        }
        job.start()
        inner.start()
        let few = job.snapshot(limit: 4)
        XCTAssertEqual(few.unfinished.map(\.name), ["inner"])
        XCTAssertEqual(few.omittedCount, 5)
        XCTAssertEqual(few.unfinished[0].unfinished.map(\.name), ["0", "1", "2"])
        XCTAssertEqual(few.unfinished[0].omittedCount, 7)
        XCTAssertEqual(job.snapshot(limit: 0).omittedCount, 6)
        XCTAssertEqual(job.snapshot().unfinished.count, 6)
        job.cancel()
    }

    func testSnapshotIsTheSameWhenItWasEncodedAndDecoded() throws {
        let job = ScriptedJob("import") { $0.track(HeldOperation("a \"b\"")) }
        job.start()
        let data = try JSONEncoder().encode(job.snapshot())
        let decoded = try JSONDecoder().decode(JobSnapshot.self, from: data)
        XCTAssertEqual(decoded.unfinished.map(\.name), ["a \"b\""])
        XCTAssertEqual(decoded.id, job.operationID)
        XCTAssertEqual(decoded.trackedCount, 1)
        job.cancel()
    }

    func testFractionsAreThoseOfTheProgress() {
        let (task, leaf) = (HeldOperation("upload"), HeldOperation("leaf"))
        let inner = ScriptedJob("inner") { job in
            job.track(leaf)
            job.track(HeldOperation("rest"))
        }
        let sayer = ScriptedJob("sayer") { $0.track(HeldOperation("own")) }
        let job = ScriptedJob("outer") { job in
            for task in [task, inner, sayer, HeldOperation("last")] { job.track(task) }
        }
        for job in [job, inner, sayer] { job.start() }
        task.reportProgress(0.5)
        leaf.reportProgress(0.5)
        sayer.reportProgress(0.75)
        let snapshot = job.snapshot()
        XCTAssertEqual(snapshot.unfinished.map(\.fractionCompleted), [0.5, 0.25, 0.75, 0])
        XCTAssertEqual(snapshot.fractionCompleted, 0.375)
        XCTAssertEqual(job.progress.fractionCompleted, 0.375)
        sayer.reportProgress(1)
        XCTAssertLessThan(job.snapshot().unfinished[2].fractionCompleted, 1)
        job.reportProgress(0.9)
        XCTAssertEqual(job.snapshot().fractionCompleted, job.progress.fractionCompleted)
        XCTAssertEqual(job.snapshot().fractionCompleted, 0.9, accuracy: 1e-12)
        job.cancel()
    }

    func testFinishedTasksCountBeforeTheyAreDelivered() async {
        let tasks = (0..<3).map { HeldOperation("\($0)") }
        let job = ScriptedJob("job") { job in
            for task in tasks { job.track(task) }
            job.track(HeldOperation("rest"))
        }
        job.start()
        for task in tasks { task.start() }
        job.isSuspended = true
        tasks[0].finish()
        tasks[1].finish(with: SampleError("offline"))
        let snapshot = job.snapshot(limit: 1)
        XCTAssertEqual(snapshot.trackedCount, 4)
        XCTAssertEqual(snapshot.finishedCount, 2)
        XCTAssertEqual(snapshot.failedCount, 1)
        XCTAssertEqual(snapshot.unfinished.map(\.name), ["2"])
        XCTAssertEqual(snapshot.omittedCount, 1)
        XCTAssertEqual(job.snapshot().finishedCount, 2)
        XCTAssertEqual(job.snapshot().omittedCount, 0)
        job.cancel()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.snapshot().omittedCount, 0)
    }
}
