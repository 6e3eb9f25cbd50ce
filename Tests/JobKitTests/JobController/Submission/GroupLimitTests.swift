import Foundation
import JobKit
import JobKitTesting
import XCTest

// J15
final class GroupLimitTests: XCTestCase {
    private let group = JobGroup.named("g")

    private func held(_ count: Int) -> [HeldOperation] {
        (0..<count).map { HeldOperation("\($0)") }
    }

    func testTasksOfAGroupStartInOrder() async {
        let tasks = held(6)
        let job = ScriptedJob { [group] job in
            job.setMaxConcurrentOperationCount(2, for: group)
            for task in tasks { job.trackAndQueue(task, group: group) }
        }
        job.startJob()
        await wait(for: tasks[0].began)
        for index in 0..<5 {
            await wait(for: tasks[index + 1].began)
            XCTAssertEqual(tasks.filter(\.isExecuting).map(\.name), ["\(index)", "\(index + 1)"])
            tasks[index].finish()
        }
        tasks[5].finish()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, (0..<6).map { "task \($0)" } + ["group g", "all"])
    }

    func testLimitOfOneGroupDoesNotAffectOthers() async {
        let idle = IdleQueue()
        let job = ScriptedJob(queue: idle) { [group] job in
            job.setMaxConcurrentOperationCount(1, for: group)
            for index in 0..<3 {
                job.trackAndQueue(ConcurrentOperation.named("a\(index)"), group: group)
            }
            for index in 0..<3 { job.trackAndQueue(ConcurrentOperation.named("b\(index)")) }
            job.log.record("main returns")
        }
        job.startJob()
        await job.log.waitForEvent("main returns")
        XCTAssertEqual(idle.names, ["a0", "b0", "b1", "b2"])
        job.cancel()
        await bounded { await job.waitForFinish() }
    }

    func testLimitSetLateCountsTasksInTheirQueues() async {
        let tasks = held(5)
        let job = ScriptedJob { [group] job in
            for task in tasks[..<3] { job.trackAndQueue(task, group: group) }
            job.setMaxConcurrentOperationCount(2, for: group)
            for task in tasks[3...] { job.trackAndQueue(task, group: group) }
        }
        job.startJob()
        for task in tasks[..<3] { await wait(for: task.began) }
        tasks[0].finish()
        await job.log.waitForEvent("task 0")
        XCTAssertFalse(tasks[3].began.isOpen)
        tasks[1].finish()
        await wait(for: tasks[3].began)
        XCTAssertFalse(tasks[4].began.isOpen)
        job.setMaxConcurrentOperationCount(3, for: group)
        await wait(for: tasks[4].began)
        for task in tasks[2...] { task.finish() }
        await bounded { await job.waitForFinish() }
    }

    func testFailedAndCancelledTasksReleaseTheirPermits() async {
        let tasks = held(4)
        let job = ScriptedJob { [group] job in
            job.setMaxConcurrentOperationCount(1, for: group)
            for task in tasks { job.trackAndQueue(task, group: group) }
        }
        job.onFailure = { _, _ in .carryOn }
        job.startJob()
        await wait(for: tasks[0].began)
        tasks[0].finish(with: SampleError("a"))
        await wait(for: tasks[1].began)
        tasks[1].cancel()
        await wait(for: tasks[2].began)
        // The task is cancelled while it waits. It takes a permit and releases it at once.
        tasks[3].cancel()
        tasks[2].finish()
        await bounded { await job.waitForFinish() }
        XCTAssertFalse(tasks[3].began.isOpen)
        XCTAssertEqual(job.events.count, 7)
    }

    func testTaskRunByOtherCodeWhileItWaitsTakesNoPermit() async {
        let tasks = held(3)
        let job = ScriptedJob { [group] job in
            job.setMaxConcurrentOperationCount(1, for: group)
            for task in tasks { job.trackAndQueue(task, group: group) }
            tasks[1].start()
            tasks[1].finish()
        }
        job.startJob()
        await wait(for: tasks[0].began)
        // Otherwise its permit might go to the second task, which `main()` is about to start.
        await bounded { await tasks[1].waitForFinish() }
        tasks[0].finish()
        await wait(for: tasks[2].began)
        tasks[2].finish()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events.last, "all")
    }

    func testSuspensionDefersTheNextTaskOfAGroup() async {
        let tasks = held(2)
        let job = ScriptedJob { [group] job in
            job.setMaxConcurrentOperationCount(1, for: group)
            for task in tasks { job.trackAndQueue(task, group: group) }
        }
        job.startJob()
        await wait(for: tasks[0].began)
        job.isSuspended = true
        tasks[0].finish()
        await bounded { await tasks[0].waitForFinish() }
        XCTAssertFalse(tasks[1].began.isOpen)
        job.isSuspended = false
        await wait(for: tasks[1].began)
        tasks[1].finish()
        await bounded { await job.waitForFinish() }
    }

    func testCancelFinishesTasksThatWaitForAPermit() async {
        let tasks = held(3)
        let job = ScriptedJob { [group] job in
            job.setMaxConcurrentOperationCount(1, for: group)
            for task in tasks { job.trackAndQueue(task, group: group) }
        }
        job.startJob()
        await wait(for: tasks[0].began)
        job.cancel()
        for operation in [job, tasks[1], tasks[2]] {
            await bounded { await operation.waitForFinish() }
        }
        XCTAssertEqual(job.events, ["cancelled"])
    }

    /// This would take minutes if each limit searched all tasks.
    func testManyGroupsGetTheirLimitsAfterTracking() async {
        let count = length(of: 20_000)
        let queue = StepQueue()
        let job = ScriptedJob(queue: queue) { job in
            for index in 0..<count {
                job.trackAndQueue(InstantOperation("a"), group: .named("\(index)"))
            }
            for index in 0..<count {
                job.setMaxConcurrentOperationCount(1, for: .named("\(index)"))
            }
            for index in 0..<count {
                job.trackAndQueue(InstantOperation("b"), group: .named("\(index)"))
            }
        }
        job.start()
        XCTAssertEqual(queue.held.count, count)
        job.cancel()
        await bounded { await job.waitForFinish() }
    }

    func testLimitIsKeptWhileThreadsTrackAndChangeIt() async {
        final class Counting: ConcurrentOperation, @unchecked Sendable {
            let log: EventLog
            init(_ log: EventLog) { self.log = log }
            override func main() {
                log.record("+")
                DispatchQueue.global()
                    .async {
                        self.log.record("-")
                        self.finish()
                    }
            }
        }
        let (open, running) = (HeldOperation("open"), EventLog())
        let job = ScriptedJob { $0.trackAndQueue(open) }
        job.setMaxConcurrentOperationCount(3, for: .type(Counting.self))
        job.startJob()
        await wait(for: open.began)
        await runOnThreads(3) { number in
            for _ in 0..<100 {
                job.trackAndQueue(Counting(running))
                job.setMaxConcurrentOperationCount(1 + number, for: .type(Counting.self))
            }
        }
        open.finish()
        await bounded { await job.waitForFinish() }
        var (now, most) = (0, 0)
        for event in running.events {
            now += event == "+" ? 1 : -1
            most = max(most, now)
        }
        XCTAssertLessThanOrEqual(most, 3)
        XCTAssertEqual(running.events.count, 600)
    }
}

extension ConcurrentOperation {
    fileprivate static func named(_ name: String) -> ConcurrentOperation {
        let operation = ConcurrentOperation()
        operation.name = name
        return operation
    }
}
