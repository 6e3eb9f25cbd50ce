import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

// J10
/// Jobs that are never started and are captured by their own closures.
final class JobNeverStartedTests: XCTestCase {
    /// Weak references to released objects of a test.
    private struct Remains {
        weak var job: JobController?
        weak var shell: JobShell?
        weak var task: Operation?

        var isNothing: Bool { job == nil && shell == nil && task == nil }
    }

    /// The ways in which a job ends without a start.
    private enum Ending: CaseIterable {
        case cancelled, finished, failed, cancelledByItsJob

        func end(_ job: JobController) {
            switch self {
            case .cancelled: job.cancel()
            case .finished: job.finish()
            case .failed: job.finish(with: SampleError("end"))
            case .cancelledByItsJob:
                let above = JobController()
                above.track(job)
                above.cancel()
            }
        }
    }

    /// Creates a job that is captured by its closures of every kind.
    ///
    /// The task and the value may have finished.
    private func makeJob(isFinished: Bool = false) -> (JobController, Operation) {
        let job = ScriptedJob()
        let (task, value) = (InstantOperation("task"), ClosureOperation { 1 })
        if isFinished {
            task.start()
            value.start()
        }
        job.track(task) { _ in job.log.record("task") }
        job.trackAndQueue(BlockOperation {}) { _ in job.log.record("plain") }
        job.trackAndQueue(value, onSuccess: { _ in job.log.record("value") })
        job.setCompletion(for: .type(InstantOperation.self)) { job.log.record("group") }
        job.perform(after: .seconds(1_000)) { job.log.record("later") }
        return (job, task)
    }

    private func assertReleased(_ remains: Remains, line: UInt = #line) async {
        await eventually { remains.isNothing }
        XCTAssertNil(remains.job, line: line)
        XCTAssertNil(remains.shell, line: line)
        XCTAssertNil(remains.task, line: line)
    }

    func testEndBeforeTheStartReleasesClosuresThatCaptureTheJob() async {
        for ending in Ending.allCases {
            for isFinished in [false, true] {
                func make() -> Remains {
                    let (job, task) = makeJob(isFinished: isFinished)
                    ending.end(job)
                    return Remains(job: job, shell: job.shell, task: task)
                }
                await assertReleased(make())
            }
        }
    }

    func testClosuresPassedAfterTheEndAreReleased() async {
        for ending in Ending.allCases {
            func make() -> Remains {
                let job = ScriptedJob()
                ending.end(job)
                let task = InstantOperation("task")
                job.trackAndQueue(task) { _ in job.log.record("task") }
                job.setCompletion(for: .named("group")) { job.log.record("group") }
                job.perform(after: .seconds(1_000)) { job.log.record("later") }
                return Remains(job: job, shell: job.shell, task: task)
            }
            await assertReleased(make())
        }
    }

    func testDelayThatHasPassedBeforeTheEndIsReleased() async {
        func make() async -> Remains {
            let clock = ManualClock()
            let job = ScriptedJob()
            job.clock = clock
            job.perform(after: .seconds(1)) { job.log.record("later") }
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
            await eventually { job.shell.ask { $0.machine.hasArrivals } }
            job.cancel()
            return Remains(job: job, shell: job.shell)
        }
        await assertReleased(await make())
    }

    func testJobStartedAfterItsEndCallsNothingAndIsReleased() async {
        for ending in Ending.allCases {
            func run() async -> Remains {
                let (job, task) = makeJob(isFinished: true)
                ending.end(job)
                job.startJob()
                await waitForFinish(ofCancelled: job)
                XCTAssertEqual((job as? ScriptedJob)?.events, [])
                return Remains(job: job, shell: job.shell, task: task)
            }
            await assertReleased(await run())
        }
    }

    // The cancellation releases the closures while the start discards the tasks.
    func testEndThatRacesTheStartReleasesEverything() async {
        for round in 0..<100 {
            func run() async -> Remains {
                let (job, task) = makeJob(isFinished: true)
                let ending = Ending.allCases[round % 3]
                await runOnThreads(2) { $0 == 0 ? ending.end(job) : job.startJob() }
                await waitForFinish(ofCancelled: job)
                return Remains(job: job, shell: job.shell, task: task)
            }
            let remains = await run()
            await assertReleased(remains)
            guard remains.isNothing else { return }
        }
    }
}
