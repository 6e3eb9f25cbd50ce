import Foundation
import JobKit
import JobKitTesting
import XCTest

// J2
final class TaskValueTests: XCTestCase {
    private final class Answer: ResultJob<Int>, @unchecked Sendable {
        override func main() { finish(returning: 7) }
    }

    func testValueIsDeliveredInPlaceOfTheTask() async throws {
        let job = ScriptedJob { job in
            job.trackAndQueue(
                AsyncOperation { 1 },
                onSuccess: { value in
                    job.log.record("value \(value)")
                    job.trackAndQueue(Answer(), onSuccess: { job.log.record("job \($0)") })
                }
            )
        }
        try await job.run()
        XCTAssertEqual(
            job.events.filter { !$0.hasPrefix("group") },
            ["value 1", "job 7", "all"]
        )
    }

    func testValueOfATaskThatIsOnlyTracked() async throws {
        let (operation, nested) = (HeldResultOperation<String>(), Answer())
        let job = ScriptedJob { job in
            job.track(operation, onSuccess: { job.log.record($0) })
            job.track(nested, group: .named("nested"), onSuccess: { job.log.record("\($0)") })
        }
        job.startJob()
        operation.start()
        operation.finish(returning: "first")
        await job.log.waitForEvent("first")
        nested.start()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(
            job.events,
            ["first", "group \(HeldResultOperation<String>.self)", "7", "group nested", "all"]
        )
    }

    func testTaskWithoutAValueCallsTaskFinished() async throws {
        let job = ScriptedJob { job in
            let failing = AsyncOperation<Int>(name: "failing") { throw SampleError("no value") }
            let cancelled = AsyncOperation<Int>(name: "cancelled") { 1 }
            cancelled.cancel()
            for task in [failing, cancelled] {
                job.trackAndQueue(
                    task,
                    group: .named(task.name ?? ""),
                    failure: .carryOn,
                    onSuccess: { _ in job.log.record("a value") }
                )
            }
        }
        try await job.run()
        XCTAssertEqual(
            job.events.sorted(),
            ["all", "group cancelled", "group failing", "task cancelled", "task failing"]
        )
    }

    func testTrailingClosureWithoutALabelReceivesTheValue() async throws {
        let job = ScriptedJob { job in
            job.trackAndQueue(AsyncOperation { 7 }) { job.log.record("\($0)") }
            let failing = AsyncOperation<Int>(name: "failing") { throw SampleError("no value") }
            job.trackAndQueue(failing, failure: .carryOn) { _ in job.log.record("a value") }
        }
        try await job.run()
        let events = job.events.filter { !$0.hasPrefix("group") }
        XCTAssertEqual(Set(events), ["7", "task failing", "all"])
        XCTAssertEqual(events.count, 3)
    }

    func testClosureIsReleasedWithItsTask() async throws {
        let log = EventLog()
        let job = ScriptedJob(log: log) { job in
            let token = ReleaseToken { log.record("released") }
            job.trackAndQueue(AsyncOperation { 1 }, onSuccess: { _ in _ = token })
        }
        try await job.run()
        XCTAssertEqual(log.events.first, "released")
    }
}
