import Foundation
import JobKit
import JobKitTesting
import XCTest

// J8, O11
final class JobRunTimeoutTests: XCTestCase {
    private let clock = ManualClock()

    /// Returns a job with one task on the manual clock.
    private func job(_ task: Operation) -> ScriptedJob {
        let job = ScriptedJob { $0.trackAndQueue(task) }
        job.clock = clock
        return job
    }

    func testTimeoutCancelsTheJobAndIsThrownWhenItHasStopped() async throws {
        let held = HeldOperation("held", stopsWhenCancelled: false)
        let job = job(held)
        let caller = Task { try await job.run(timeout: .seconds(30)) }
        await wait(for: held.began)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(29))
        XCTAssertFalse(job.isCancelled)
        clock.advance(by: .seconds(1))
        await wait(for: held.told)
        XCTAssertFalse(job.isFinished)
        held.finish()
        do {
            try await caller.value
            XCTFail("no error")
        } catch let error as JobTimeoutError {
            XCTAssertEqual(error.name, "job")
            XCTAssertEqual(error.limit, .seconds(30))
            XCTAssertTrue(error.explanation.contains("\nheld: executing"), error.explanation)
            let sentence = "job was cancelled because it took longer than 30.0 seconds."
            XCTAssertEqual(error.description, sentence)
            XCTAssertEqual(error.localizedDescription, sentence)
        }
        XCTAssertEqual(job.events, ["cancelled"])
        guard case .cancelled = job.outcome else { return XCTFail("not cancelled") }
    }

    func testJobThatFinishesInTimeLeavesNoSleeper() async throws {
        let job = job(InstantOperation("a"))
        try await job.run(timeout: .seconds(Int64.max))
        XCTAssertEqual(job.events.last, "all")
        XCTAssertNil(clock.nextDeadline)
    }

    func testErrorOfTheJobIsThrown() async throws {
        let job = job(InstantOperation("a", failure: SampleError("bad")))
        await expectThrow(SampleError.self) { try await job.run(timeout: .seconds(30)) }
    }

    func testTimeInTheQueueCounts() async throws {
        for timeout: Duration in [.seconds(1), .zero, .seconds(-1)] {
            let queue = TaskQueue()
            queue.isSuspended = true
            let job = job(InstantOperation("a"))
            let caller = Task { try await job.run(on: queue, timeout: timeout) }
            if timeout > .zero {
                await clock.waitForSleepers()
                clock.advance(by: .seconds(1))
            }
            await expectThrow(JobTimeoutError.self) { try await caller.value }
            XCTAssertEqual(job.events, [])
            queue.isSuspended = false
        }
    }

    // MARK: Other cancellations

    func testJobThatWasCancelledBeforeHasNotTimedOut() async throws {
        let held = HeldOperation("held", stopsWhenCancelled: false)
        let job = job(held)
        let caller = Task { try await job.run(timeout: .seconds(30)) }
        await wait(for: held.began)
        await clock.waitForSleepers()
        job.cancel()
        clock.advance(by: .seconds(30))
        held.finish()
        await expectThrow(CancellationError.self) { try await caller.value }
    }

    func testCancelledCallerGetsCancellationError() async throws {
        let held = HeldOperation("held")
        let job = job(held)
        let caller = Task { try await job.run(timeout: .seconds(30), stopWithin: .seconds(3_600)) }
        await wait(for: held.began)
        caller.cancel()
        await expectThrow(CancellationError.self) { try await caller.value }
        XCTAssertTrue(job.isFinished)
    }

    // MARK: Work that ignores its cancellation

    func testLimitFreesTheCallerOfAJobThatDoesNotStop() async throws {
        let held = HeldOperation("held", stopsWhenCancelled: false)
        let job = job(held)
        let caller = Task {
            try await job.run(timeout: .seconds(30), stopWithin: .milliseconds(1))
        }
        await wait(for: held.began)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(30))
        await expectThrow(JobStopTimeoutError.self) { try await caller.value }
        await wait(for: held.told)
        XCTAssertFalse(job.isFinished)
        held.finish()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["cancelled"])
    }

    func testMaximumStopTimeOfATaskEndsTheJob() async throws {
        let held = HeldOperation("held", stopsWhenCancelled: false)
        held.clock = clock
        held.maximumStopTime = .seconds(5)
        let job = job(held)
        let caller = Task { try await job.run(timeout: .seconds(30)) }
        await wait(for: held.began)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(30))
        await wait(for: held.told)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        await expectThrow(JobTimeoutError.self) { try await caller.value }
        XCTAssertTrue(held.isAbandoned)
        XCTAssertTrue(job.isFinished)
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
        let job = job(task)
        let caller = Task {
            try await job.run(timeout: .seconds(30), stopWithin: .milliseconds(1))
        }
        await wait(for: began)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(30))
        await expectThrow(JobStopTimeoutError.self) { try await caller.value }
        mayStop.open()
        await bounded { await job.waitForFinish() }
    }
}
