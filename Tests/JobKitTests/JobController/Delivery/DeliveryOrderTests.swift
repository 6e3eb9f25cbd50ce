import Foundation
import JobKit
import JobKitTesting
import XCTest

// J2, J3
final class DeliveryOrderTests: XCTestCase {
    func testTasksAreDeliveredInTheOrderInWhichTheyFinished() async {
        let tasks = ["a", "b", "c"].map { HeldOperation($0) }
        let job = ScriptedJob { job in for task in tasks { job.trackAndQueue(task) } }
        job.startJob()
        for task in tasks { await wait(for: task.began) }
        for index in [2, 0, 1] { tasks[index].finish() }
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(
            job.events,
            ["task c", "task a", "task b", "group HeldOperation", "all"]
        )
    }

    func testClosuresReplaceTheMethodsOfTaskAndGroup() async {
        let job = ScriptedJob { job in
            let log = job.log
            job.trackAndQueue(InstantOperation("a"), group: .named("g")) { task in
                log.record("closure \(task.name ?? "")")
            }
            job.setCompletion(for: .named("g")) { log.record("old closure of g") }
            job.setCompletion(for: .named("g")) { log.record("closure of g") }
        }
        job.startJob()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, ["closure a", "closure of g", "all"])
    }

    func testGroupThatGetsATaskInItsLastCallbackFinishesLater() async {
        let job = ScriptedJob { $0.trackAndQueue(InstantOperation("0")) }
        job.onTask = { job, task in
            if task.name != "2" {
                job.trackAndQueue(InstantOperation("\((Int(task.name ?? "") ?? 0) + 1)"))
            }
        }
        job.startJob()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(
            job.events,
            ["task 0", "task 1", "task 2", "group InstantOperation", "all"]
        )
    }

    func testGroupAndJobThatGetTasksInTheirCallbackHaveItAgain() async {
        let job = ScriptedJob { $0.trackAndQueue(InstantOperation("a")) }
        job.onGroup = { job, _ in
            if job.events.count == 2 { job.trackAndQueue(InstantOperation("b")) }
        }
        job.onAll = { job in
            if job.events.count == 5 { job.trackAndQueue(InstantOperation("c")) }
        }
        job.startJob()
        await bounded { await job.waitForFinish() }
        let group = "group InstantOperation"
        XCTAssertEqual(
            job.events,
            ["task a", group, "task b", group, "all", "task c", group, "all"]
        )
    }

    func testGroupIsTheExactDynamicType() async {
        class Base: ConcurrentOperation, @unchecked Sendable {}
        final class Derived: Base, @unchecked Sendable {}
        let job = ScriptedJob { job in
            let first: Base = Derived()
            job.trackAndQueue(first)
            job.trackAndQueue(Base(), group: .type(Derived.self))
            job.trackAndQueue(Base())
        }
        job.startJob()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(Set(job.events), ["task ", "group Base", "group Derived", "all"])
        XCTAssertEqual(job.events.filter { $0 == "group Base" }.count, 1)
        XCTAssertEqual(job.events.filter { $0 == "group Derived" }.count, 1)
    }

    func testTaskIsDeliveredBeforeTheTaskThatDependsOnIt() async throws {
        for _ in 0..<300 {
            let job = ScriptedJob { job in
                let (first, second) = (InstantOperation("first"), InstantOperation("second"))
                second.addDependency(first)
                job.trackAndQueue(second, group: .named("g"))
                job.trackAndQueue(first, on: OperationQueue(), group: .named("g"))
            }
            try await job.run()
            XCTAssertEqual(job.events, ["task first", "task second", "group g", "all"])
        }
    }

    func testTaskIsDeliveredAfterTheTaskWhosePermitItGot() async {
        // J2 with J15: when one finishes, the next starts on the same thread.
        let first = HeldOperation("0")
        let job = ScriptedJob(queue: InlineQueue()) { job in
            job.setMaxConcurrentOperationCount(1, for: .named("g"))
            job.trackAndQueue(first, group: .named("g"))
            for index in 1..<5 {
                job.trackAndQueue(InstantOperation("\(index)"), group: .named("g"))
            }
        }
        job.startJob()
        await wait(for: first.began)
        first.finish()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.events, (0..<5).map { "task \($0)" } + ["group g", "all"])
    }

    func testPlainTaskIsDeliveredBeforeItsPermitIsReused() async throws {
        // The worker often finishes the first task before the adding thread has recorded its
        // position.
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        for _ in 0..<50 { try await runPlainTaskBeforeAnother(ScriptedJob(queue: queue)) }
    }

    func testPlainTaskIsDeliveredBeforeItsGroupPermitIsReused() async throws {
        for _ in 0..<50 {
            let job = ScriptedJob()
            job.setMaxConcurrentOperationCount(1, for: .named("g"))
            try await runPlainTaskBeforeAnother(job)
        }
    }

    /// Expects that a job's first task, a plain operation with a slow observer, is delivered first.
    private func runPlainTaskBeforeAnother(_ job: ScriptedJob) async throws {
        job.script = { job in
            let plain = BlockOperation {}
            plain.name = "plain"
            job.trackAndQueue(plain, group: .named("g"))
            job.trackAndQueue(InstantOperation("next"), group: .named("g"))
        }
        job.addObserver(SlowObserver(of: "plain"))
        try await job.run()
        XCTAssertEqual(job.events, ["task plain", "task next", "group g", "all"])
    }
}

/// Takes its time when an operation has finished.
private final class SlowObserver: JobObserver {
    private let name: String

    init(of name: String) { self.name = name }

    func job(_ job: JobController, didRecord event: JobEvent) {
        if event.kind == .finished, event.name == name { giveWay(forMicroseconds: 300) }
    }
}
