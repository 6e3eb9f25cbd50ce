import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

// J10
final class JobRetentionTests: XCTestCase {
    /// Weak references to released objects of a test.
    private struct Remains {
        weak var job: JobController?
        weak var shell: JobShell?
        weak var task: Operation?

        var isNothing: Bool { job == nil && shell == nil && task == nil }
    }

    /// Waits until threads that were about to release objects have done so.
    private func assertReleased(_ remains: Remains, line: UInt = #line) async {
        await eventually({ remains.isNothing }, line: line)
    }

    func testStartedJobKeepsItselfAliveAndNothingAfterTheEnd() async {
        let log = EventLog()
        func start() -> (Remains, HeldOperation) {
            let task = HeldOperation("a")
            let job = ScriptedJob(log: log) { job in
                job.trackAndQueue(task) { _ in job.log.record("a") }
                job.setCompletion(for: .type(HeldOperation.self)) { job.log.record("group") }
            }
            job.startJob()
            return (Remains(job: job, shell: job.shell), task)
        }
        let (remains, task) = start()
        await wait(for: task.began)
        XCTAssertNotNil(remains.job)
        task.finish()
        await log.waitForEvent("all")
        await assertReleased(remains)
        XCTAssertEqual(log.events, ["a", "group", "all"])
    }

    func testTaskIsReleasedAsSoonAsItWasDelivered() async throws {
        final class Steps: JobController, @unchecked Sendable {
            weak var delivered: Operation?
            var wasReleased = false

            override func main() {
                // Its start has returned before it is delivered, so nothing else retains it.
                track(ConcurrentOperation.finishedBefore()) { self.delivered = $0 }
            }

            override func taskGroupFinished(_ group: JobGroup) { wasReleased = delivered == nil }
        }
        let job = Steps()
        try await job.run()
        XCTAssertTrue(job.wasReleased)
        XCTAssertEqual(job.trackedTasks, [])
    }

    func testJobNeverStartedIsReleasedWithItsTasks() async {
        func make(_ kind: Int) -> Remains {
            let job = ScriptedJob()
            let tasks: [Operation] = [
                ConcurrentOperation(), BlockOperation {}, ScriptedJob("nested"), HeldOperation("a"),
            ]
            let task = tasks[kind]
            (task as? JobController)?.track(ConcurrentOperation())
            if kind == 3 { task.start() }
            job.track(task)
            return Remains(job: job, shell: job.shell, task: task)
        }
        for kind in 0..<4 { await assertReleased(make(kind)) }
    }

    func testFinishedTaskOfAJobNeverStartedIsReleased() async {
        func make(_ task: Operation) -> Remains {
            let job = ScriptedJob()
            job.track(task)
            task.start()
            return Remains(job: job, shell: job.shell, task: nil)
        }
        for task in [InstantOperation("a"), BlockOperation {}] { await assertReleased(make(task)) }
    }

    func testTaskThatOutlivesAJobNeverStartedLeavesNothing() async {
        let tasks: [Operation] = [HeldOperation("a"), BlockOperation {}]
        func make(_ task: Operation) -> Remains {
            let job = ScriptedJob()
            job.track(task)
            return Remains(job: job, shell: job.shell, task: nil)
        }
        for task in tasks {
            let remains = make(task)
            XCTAssertNil(remains.job)
            task.start()
            (task as? HeldOperation)?.finish()
            await assertReleased(remains)
        }
    }

    func testTaskThatOutlivesItsJobLeavesNothing() async {
        let kinds: [TaskCancellation] = [.leaveRunning, .cancelWithoutWaiting]
        for kind in kinds {
            for isPlain in [true, false] {
                let held = HeldOperation("a", stopsWhenCancelled: false)
                let user = UserOperation("b", isHeld: true)
                let task: Operation = isPlain ? user : held
                func start() async -> Remains {
                    let job = ScriptedJob { $0.trackAndQueue(task, cancellation: kind) }
                    job.startJob()
                    await wait(for: isPlain ? user.began : held.began)
                    job.cancel()
                    await bounded { await job.waitForFinish() }
                    return Remains(job: job, shell: job.shell, task: nil)
                }
                let remains = await start()
                held.finish()
                if isPlain { user.complete() }
                await assertReleased(remains)
            }
        }
    }

    func testCancelledAndFailedJobsAreReleasedWithTheirTasks() async {
        for fails in [true, false] {
            func start() async -> Remains {
                let task = HeldOperation("a")
                let job = ScriptedJob { $0.trackAndQueue(task) { _ in } }
                job.startJob()
                await wait(for: task.began)
                if fails { job.finish(with: SampleError("end")) } else { job.cancel() }
                await bounded { await job.waitForFinish() }
                return Remains(job: job, shell: job.shell, task: task)
            }
            await assertReleased(await start())
        }
    }

    func testGroupClosureThatIsSetWhenTheJobHasEndedIsNotKept() async {
        let task = HeldOperation("task", stopsWhenCancelled: false)
        let job = ScriptedJob { $0.track(task) }
        task.start()
        job.start()
        job.cancel()
        let kept = Kept()
        func set() {
            let token = kept.make()
            job.setCompletion(for: .named("g")) { [job] in withExtendedLifetime((job, token)) {} }
        }
        set()
        XCTAssertTrue(kept.isReleased, "the job waits for its task")
        task.finish()
        await bounded { await job.waitForFinish() }
        set()
        XCTAssertTrue(kept.isReleased, "the job has finished")
    }

    func testReplacedGroupClosureIsReleasedWithNoLockHeld() {
        final class Canary {
            let job: JobController
            init(_ job: JobController) { self.job = job }
            deinit { job.isSuspended = false }
        }
        let job = ScriptedJob()
        func set() {
            let canary = Canary(job)
            job.setCompletion(for: .named("g")) { _ = canary }
        }
        set()
        job.setCompletion(for: .named("g")) {}
        XCTAssertFalse(job.isSuspended)
    }
}

extension ConcurrentOperation {
    fileprivate static func finishedBefore() -> ConcurrentOperation {
        let operation = ConcurrentOperation()
        operation.start()
        return operation
    }
}
