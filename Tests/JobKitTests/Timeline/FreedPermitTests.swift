import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// R5: the critical path passes through the permits that tasks release.
final class FreedPermitTests: XCTestCase {
    private func recorder(of job: JobController) -> TimelineRecorder {
        let recorder = TimelineRecorder()
        job.addObserver(recorder)
        return recorder
    }

    func testTasksOfASerialQueueFollowEachOther() async {
        let queue = TaskQueue(name: "narrow", maxConcurrentOperationCount: 1)
        let tasks = ["a", "b", "c"].map { HeldOperation($0) }
        let job = ScriptedJob { job in
            for task in tasks { job.trackAndQueue(task, on: queue) }
        }
        let recorder = recorder(of: job)
        // All are tracked before the first finishes.
        job.start()
        for task in tasks {
            await wait(for: task.began)
            task.finish()
        }
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(recorder.timeline.criticalPath.map(\.name), ["a", "b", "c"])
    }

    func testPlainOperationsOfASerialQueueFollowEachOther() async {
        let queue = TaskQueue(name: "narrow", maxConcurrentOperationCount: 1)
        queue.isSuspended = true
        let tasks = ["a", "b", "c"]
            .map { name in
                let task = BlockOperation {}
                task.name = name
                return task
            }
        let job = ScriptedJob { job in
            for task in tasks { job.trackAndQueue(task, on: queue) }
        }
        let recorder = recorder(of: job)
        job.start()
        queue.isSuspended = false
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(recorder.timeline.criticalPath.map(\.name), ["a", "b", "c"])
    }

    func testTasksOfASerialGroupFollowEachOther() {
        let queue = StepQueue()
        let job = ScriptedJob(queue: queue) { job in
            job.setMaxConcurrentOperationCount(1, for: .named("photos"))
            for name in ["a", "b", "c"] {
                job.trackAndQueue(InstantOperation(name), group: .named("photos"))
            }
            job.trackAndQueue(InstantOperation("beside"))
        }
        let recorder = recorder(of: job)
        job.startJob(on: queue)
        queue.runAll(seed: 1)
        let path = recorder.timeline.criticalPath.map(\.name)
        XCTAssertEqual(path.filter { $0 != "beside" }, path.last == "c" ? ["a", "b", "c"] : [])
    }

    func testTaskFollowsTheTaskWhosePermitItGets() async {
        let queue = TaskQueue(name: "wide")
        queue.isSuspended = true
        let job = ScriptedJob { job in
            for number in 0..<200 { job.trackAndQueue(InstantOperation("\(number)"), on: queue) }
        }
        let recorder = recorder(of: job)
        job.start()
        queue.isSuspended = false
        await bounded { await job.waitForFinish() }
        let waiting = recorder.timeline.entries.count { !$0.predecessors.isEmpty }
        XCTAssertGreaterThanOrEqual(waiting, 200 - TaskQueueShell.threadLimit)
    }
}
