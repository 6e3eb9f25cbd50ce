import Foundation
import JobKit
import JobKitTesting
import XCTest

final class JobRunTests: XCTestCase {
    func testRunReturnsAfterTheJobHasFinishedOnItsQueue() async throws {
        let queue = TaskQueue(name: "mine", maxConcurrentOperationCount: 1)
        let job = ScriptedJob(queue: queue) { job in
            job.log.record("standing: \(queue.operationCount)")
            job.trackAndQueue(InstantOperation("a"))
        }
        try await job.run(on: queue)
        XCTAssertEqual(job.events.first, "standing: 1")
        XCTAssertTrue(job.isFinished)
    }

    func testRunThrowsTheErrorOfTheJob() async {
        let job = ScriptedJob { $0.finish(with: SampleError("bad")) }
        do {
            try await job.run()
            XCTFail("no error")
        } catch { XCTAssertEqual(error as? SampleError, SampleError("bad")) }
    }

    func testRunThrowsCancellationErrorOfACancelledJob() async {
        for early in [true, false] {
            let job = ScriptedJob { $0.cancel() }
            if early { job.cancel() }
            do {
                try await job.run()
                XCTFail("no error")
            } catch { XCTAssertTrue(error is CancellationError) }
        }
    }

    func testCancelledCallerCancelsTheJobAndWaitsForIt() async {
        let held = HeldOperation("held", stopsWhenCancelled: false)
        let job = ScriptedJob { $0.trackAndQueue(held) }
        let caller = Task { try await job.run() }
        await wait(for: held.began)
        caller.cancel()
        await wait(for: held.told)
        XCTAssertFalse(job.isFinished)
        held.finish()
        let result = await caller.result
        XCTAssertTrue(job.isFinished)
        XCTAssertEqual(job.events, ["cancelled"])
        XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
    }

    func testCallerCancelledBeforeTheRunSkipsMain() async {
        let job = ScriptedJob { $0.log.record("main") }
        let go = Gate()
        let caller = Task {
            await go.waitUntilOpen()
            try await job.run()
        }
        caller.cancel()
        go.open()
        let result = await caller.result
        XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
        XCTAssertEqual(job.events, [])
    }

    // MARK: A limited time to stop

    func testJobThatDoesNotStopIsExplainedAndContinues() async throws {
        let held = HeldOperation("held", stopsWhenCancelled: false)
        let job = ScriptedJob { $0.trackAndQueue(held) }
        let caller = Task { try await job.run(stopWithin: .milliseconds(1)) }
        await wait(for: held.began)
        caller.cancel()
        do {
            try await caller.value
            XCTFail("no error")
        } catch let error as JobStopTimeoutError {
            // The cancellation runs on another thread, and may not have finished yet.
            XCTAssertTrue(error.explanation.hasPrefix("job: executing"), error.explanation)
            XCTAssertTrue(error.explanation.contains("\nheld: executing"), error.explanation)
        }
        await wait(for: held.told)
        XCTAssertFalse(job.isFinished)
        held.finish()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["cancelled"])
    }

    func testCallerDoesNotWaitForACancelThatBlocks() async throws {
        let (began, mayStop) = (Gate(), Gate())
        let task = ScriptedOperation(
            onCancel: { operation in
                mayStop.wait()
                operation.finish()
            },
            onMain: { _ in began.open() }
        )
        let job = ScriptedJob { $0.trackAndQueue(task) }
        let caller = Task { try await job.run(stopWithin: .milliseconds(1)) }
        await wait(for: began)
        Thread.detachNewThread { caller.cancel() }
        await expectThrow(JobStopTimeoutError.self) { try await caller.value }
        mayStop.open()
        await bounded { await job.waitForFinish() }
    }

    func testJobThatStopsInTimeThrowsCancellationError() async {
        for limit: Duration in [.seconds(3_600), .seconds(Int64.max)] {
            let held = HeldOperation("held")
            let job = ScriptedJob { $0.trackAndQueue(held) }
            let caller = Task { try await job.run(stopWithin: limit) }
            await wait(for: held.began)
            caller.cancel()
            await expectThrow(CancellationError.self) { try await caller.value }
            XCTAssertTrue(job.isFinished)
        }
    }

    func testLimitCountsOnlyOnceTheCallerIsCancelled() async throws {
        let held = HeldOperation("held")
        let job = ScriptedJob { $0.trackAndQueue(held) }
        let caller = Task { try await job.run(stopWithin: .zero) }
        await wait(for: held.began)
        held.finish()
        try await caller.value
        XCTAssertEqual(job.events.last, "all")
    }
}
