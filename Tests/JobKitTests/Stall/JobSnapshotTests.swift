import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

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
        XCTAssertEqual(job.snapshot().state, "waiting")
        job.startJob(on: queue)
        for _ in 0..<5 { queue.runNext() }
        let snapshot = job.snapshot()
        XCTAssertEqual(snapshot.id, job.operationID)
        XCTAssertEqual(snapshot.name, "import")
        XCTAssertEqual(snapshot.type, "ScriptedJob")
        XCTAssertEqual(snapshot.state, "executing")
        XCTAssertEqual(snapshot.fractionCompleted, 0.5)
        XCTAssertEqual(snapshot.trackedCount, 4)
        XCTAssertEqual(snapshot.finishedCount, 2)
        XCTAssertEqual(snapshot.failedCount, 1)
        XCTAssertEqual(snapshot.omittedCount, 0)
        XCTAssertEqual(snapshot.unfinished.map(\.name), ["album", "BlockOperation"])
        XCTAssertEqual(snapshot.unfinished.map(\.state), ["executing", "waiting"])
        XCTAssertEqual(snapshot.unfinished[0].unfinished.map(\.name), ["c.jpg"])
        XCTAssertEqual(snapshot.unfinished[0].unfinished[0].id, inner.trackedTasks[0].operationID)
        job.cancel()
    }

    func testFinishedJobSaysHowItEnded() async throws {
        let job = ScriptedJob("import") { $0.trackAndQueue(InstantOperation("a")) }
        try await job.run()
        XCTAssertEqual(job.snapshot().state, "succeeded")
        XCTAssertEqual(job.snapshot().fractionCompleted, 1)
        XCTAssertEqual(job.snapshot().finishedCount, 1)
        let cancelled = ScriptedJob("import")
        cancelled.cancel()
        cancelled.startJob()
        await waitForFinish(of: cancelled)
        XCTAssertEqual(cancelled.snapshot().state, "cancelled")
    }

    func testLimitCountsNestedTasksAndWhatIsLeftOutIsCounted() {
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
}
