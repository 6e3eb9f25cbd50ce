import Foundation
import JobKit
import JobKitTesting
import XCTest

/// The asynchronous work of a job itself, apart from its tasks.
final class JobWorkTests: XCTestCase {
    /// Work that begins, waits for a gate regardless of cancellation, and ends.
    private struct Work: Sendable {
        let began = Gate()
        let goOn = Gate()
        let cancelled = Gate()

        func start(in job: ScriptedJob) {
            job.startWork {
                began.open()
                await withTaskCancellationHandler {
                    await goOn.waitUntilOpen()
                } onCancel: {
                    cancelled.open()
                }
                job.endWork { job.log.record("worked") }
            }
        }
    }

    func testJobWaitsForItsWork() async {
        let work = Work()
        let job = ScriptedJob { work.start(in: $0) }
        job.startJob()
        await wait(for: work.began)
        XCTAssertTrue(job.isExecuting)
        XCTAssertEqual(job.events, [])
        work.goOn.open()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["worked", "all"])
        XCTAssertEqual(job.outcome?.text, "succeeded")
        XCTAssertFalse(work.cancelled.isOpen)
    }

    func testJobWaitsForItsWorkAndItsTasks() async {
        let work = Work()
        let job = ScriptedJob { job in
            work.start(in: job)
            job.trackAndQueue(InstantOperation("a")) { _ in
                job.log.record("a")
                work.goOn.open()
            }
        }
        job.startJob()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["a", "group InstantOperation", "worked", "all"])
    }

    func testEndOfTheJobCancelsTheWorkAndWaitsForIt() async {
        let error = SampleError("a")
        let ends: [(String, (ScriptedJob) -> Void)] = [
            ("cancelled", { $0.cancel() }), ("succeeded", { $0.finish() }),
            ("failed \(error)", { $0.finish(with: error) }),
        ]
        for (outcome, end) in ends {
            let work = Work()
            let job = ScriptedJob { work.start(in: $0) }
            job.startJob()
            await wait(for: work.began)
            end(job)
            // The thread that starts the work cancels it, if it has not returned yet.
            await wait(for: work.cancelled)
            XCTAssertFalse(job.isFinished)
            work.goOn.open()
            await bounded { await job.waitForFinish() }
            XCTAssertEqual(job.events.filter { $0 == "worked" }, [])
            XCTAssertEqual(job.outcome?.text, outcome)
        }
    }

    func testWorkOfAnEndingJobDoesNotStart() async {
        let work = Work()
        let job = ScriptedJob { job in
            job.finish()
            work.start(in: job)
        }
        job.startJob()
        await bounded { await job.waitForFinish() }
        XCTAssertFalse(work.began.isOpen)
    }

    /// Returns a job that was suspended before its start and has started the work in `main()`.
    private func suspendedJob(starting work: Work) async -> ScriptedJob {
        let entered = Gate()
        let job = ScriptedJob { job in
            work.start(in: job)
            entered.open()
        }
        job.isSuspended = true
        job.startJob()
        await wait(for: entered)
        return job
    }

    func testSuspendedJobStartsAndEndsItsWorkWhenResumed() async {
        let work = Work()
        let job = await suspendedJob(starting: work)
        XCTAssertFalse(work.began.isOpen)
        job.isSuspended = false
        await wait(for: work.began)
        job.isSuspended = true
        work.goOn.open()
        XCTAssertEqual(job.events, [])
        XCTAssertFalse(job.isFinished)
        job.isSuspended = false
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["worked", "all"])
    }

    func testSuspendedJobThatIsCancelledDoesNotStartItsWork() async {
        let work = Work()
        let job = await suspendedJob(starting: work)
        job.cancel()
        await bounded { await job.waitForFinish() }
        XCTAssertFalse(work.began.isOpen)
        XCTAssertEqual(job.outcome?.text, "cancelled")
    }

    func testJobLeavesItsWorkWhenItsTimeToStopHasPassed() async {
        let (work, clock) = (Work(), ManualClock())
        let job = ScriptedJob { work.start(in: $0) }
        job.clock = clock
        job.maximumStopTime = .seconds(5)
        job.startJob()
        await wait(for: work.began)
        job.cancel()
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["cancelled"])
        work.goOn.open()
    }

    func testTimeoutCancelsTheWork() async {
        let (work, clock) = (Work(), ManualClock())
        let job = ScriptedJob { work.start(in: $0) }
        job.clock = clock
        job.maximumRuntime = .seconds(5)
        job.startJob()
        await wait(for: work.began)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        await wait(for: work.cancelled)
        work.goOn.open()
        await bounded { await job.waitForFinish() }
        XCTAssertTrue(job.error is OperationTimeoutError)
    }
}
