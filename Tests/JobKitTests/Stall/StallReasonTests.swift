import Foundation
import JobKit
import JobKitTesting
import XCTest

// R4
/// Tests `explainStall` for jobs and tasks that were not started.
final class StallReasonTests: XCTestCase {
    private final class Unready: ConcurrentOperation, @unchecked Sendable {
        override var isReady: Bool { false }
    }

    private final class PlainUnready: Operation, @unchecked Sendable {
        override var isReady: Bool { isCancelled }
    }

    private func lines(_ job: JobController, limit: Int = .max) -> [String] {
        job.explainStall(limit: limit).withoutTimes.split(separator: "\n").map(String.init)
    }

    func testJobThatWaitsForItsTurnNamesItsQueue() async {
        let queue = TaskQueue(name: "jobs", maxConcurrentOperationCount: 1)
        let occupant = HeldOperation("occupant")
        queue.addOperation(occupant)
        await wait(for: occupant.began)
        let job = ScriptedJob("import")
        job.startJob(on: queue)
        XCTAssertEqual(lines(job), ["import: not started, full: jobs, where occupant executes"])
        queue.isSuspended = true
        XCTAssertEqual(lines(job), ["import: not started, suspended: jobs"])
        queue.isSuspended = false
        occupant.finish()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(lines(job), ["import: finished"])
    }

    func testJobInAnOperationQueueNamesTheQueue() async {
        let queue = OperationQueue()
        queue.name = "plain"
        queue.isSuspended = true
        let job = ScriptedJob("import")
        job.startJob(on: queue)
        XCTAssertEqual(lines(job), ["import: not started, suspended: plain"])
        queue.isSuspended = false
        await bounded { await job.waitForFinish() }
    }

    func testJobThatWaitsForADependencyNamesIt() {
        let login = HeldOperation("login")
        let job = ScriptedJob("import")
        job.addDependency(login)
        XCTAssertEqual(lines(job), ["import: not started, waits for login (not started)"])
        job.cancel()
    }

    func testFullQueueNamesTenExecutingOperations() async {
        let queue = TaskQueue(name: "wide", maxConcurrentOperationCount: 12)
        let occupants = (0..<12).map { HeldOperation("\($0)") }
        for occupant in occupants { queue.addOperation(occupant) }
        for occupant in occupants { await wait(for: occupant.began) }
        let job = ScriptedJob("import", queue: queue) { $0.trackAndQueue(HeldOperation("a.jpg")) }
        job.start()
        XCTAssertEqual(
            lines(job).last,
            "a.jpg: full: wide, where 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more execute"
        )
        job.cancel()
        for occupant in occupants { occupant.finish() }
    }

    func testTenDependenciesAreNamed() {
        let task = HeldOperation("index")
        let job = ScriptedJob("import") { job in
            for number in 0..<12 {
                let photo = HeldOperation("\(number)")
                task.addDependency(photo)
                job.track(photo)
            }
            job.track(task)
        }
        job.start()
        XCTAssertEqual(
            lines(job).last,
            "index: waits for 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more"
        )
        job.cancel()
    }

    func testDependencyOutsideOfTheJobHasItsReason() async {
        let net = TaskQueue(name: "net")
        net.isSuspended = true
        let (login, token) = (HeldOperation("login"), HeldOperation("token"))
        let (running, plain) = (HeldOperation("running"), BlockOperation {})
        plain.name = "plain"
        login.addDependency(token)
        net.addOperation(token)
        let inside = HeldOperation("inside")
        let fetch = HeldOperation("fetch")
        for other in [login, running, plain, inside] { fetch.addDependency(other) }
        let job = ScriptedJob("import") { job in
            job.track(inside)
            job.track(fetch)
        }
        job.start()
        running.start()
        XCTAssertEqual(
            lines(job).last,
            "fetch: waits for login (waits for token), running (executing), "
                + "plain (not started), inside"
        )
        job.cancel()
        running.finish()
        net.cancelAllOperations()
        net.isSuspended = false
        await net.waitForAllOperations()
    }

    func testOperationsOutsideThatWaitForEachOtherAreNamedOnce() {
        let (first, second) = (HeldOperation("first"), HeldOperation("second"))
        first.addDependency(second)
        second.addDependency(first)
        let fetch = HeldOperation("fetch")
        fetch.addDependency(first)
        let job = ScriptedJob("import") { $0.track(fetch) }
        job.start()
        XCTAssertEqual(
            lines(job).last,
            "fetch: waits for first (waits for second)"
        )
        job.cancel()
        for operation in [first, second] { operation.removeDependency(first) }
        first.removeDependency(second)
    }

    func testOperationWithItsOwnIsReadyIsNamed() {
        let unready = Unready()
        unready.name = "own"
        let plain = PlainUnready()
        plain.name = "plain"
        let job = ScriptedJob("import", queue: TaskQueue(name: "net")) { job in
            job.trackAndQueue(unready)
            job.trackAndQueue(plain)
        }
        job.start()
        XCTAssertEqual(
            lines(job),
            [
                "import: executing", "own: not ready: its isReady returns false, in net",
                "plain: not ready: its isReady returns false, in net",
            ]
        )
        job.cancel()
    }

    func testFullGroupIsNamedWithItsLimit() {
        let queue = StepQueue()
        let job = ScriptedJob("import", queue: queue) { job in
            job.setMaxConcurrentOperationCount(2, for: .type(HeldOperation.self))
            for name in ["a", "b", "c"] { job.trackAndQueue(HeldOperation(name)) }
        }
        job.start()
        XCTAssertEqual(
            lines(job).last,
            "c: never queued, because only 2 of group HeldOperation may run at a time"
        )
        job.cancel()
    }

    func testLimitNamesSoManyAndCountsTheRest() {
        let tasks = (0..<5).map { HeldOperation("\($0)") }
        for number in [0, 2, 4] { tasks[number].cancel() }
        let job = ScriptedJob("import") { job in
            for number in 0..<5 { job.track(tasks[number]) }
        }
        job.start()
        XCTAssertEqual(
            lines(job, limit: 2),
            [
                "import: executing", "0: never queued, cancelled", "1: never queued",
                "… and 3 more",
            ]
        )
        XCTAssertEqual(lines(job, limit: 0), ["import: executing", "… and 5 more"])
        job.cancel()
    }

    /// A queue that holds operations and gives reasons for some of them.
    private final class Batches: OperationScheduling {
        func addOperation(_ operation: Operation) {}

        func reasonNotStarted(_ operation: Operation) -> String? {
            operation.name == "unknown" ? nil : "in a batch that starts at 8"
        }
    }

    func testReasonThatAUsersQueueGivesIsShown() {
        let queue = Batches()
        let rated = RateLimitedQueue(queue, limit: 9, per: .seconds(1))
        let job = ScriptedJob("import") { job in
            job.trackAndQueue(HeldOperation("a"), on: queue)
            job.trackAndQueue(HeldOperation("b"), on: rated)
            job.trackAndQueue(HeldOperation("unknown"), on: queue)
        }
        job.start()
        XCTAssertEqual(
            lines(job),
            [
                "import: executing", "a: in a batch that starts at 8",
                "b: in a batch that starts at 8", "unknown: in Batches, not started",
            ]
        )
        job.cancel()
    }

    func testJobInAUsersQueueShowsItsReason() {
        let queue = Batches()
        let job = ScriptedJob("import")
        job.startJob(on: queue)
        XCTAssertEqual(lines(job), ["import: not started, in a batch that starts at 8"])
        job.cancel()
        withExtendedLifetime(queue) {}
    }

    func testQueuesGiveReasonsForTheirOperations() {
        let full = TaskQueue(name: "disk", maxConcurrentOperationCount: 1)
        full.isSuspended = true
        let rated = RateLimitedQueue(full, limit: 1, per: .seconds(1), clock: ManualClock())
        let steps = StepQueue()
        let (first, second, step) = (HeldOperation("1"), HeldOperation("2"), HeldOperation("3"))
        let dependent = HeldOperation("4")
        dependent.addDependency(step)
        for operation in [first, second] { rated.addOperation(operation) }
        for operation in [step, dependent] { steps.addOperation(operation) }
        XCTAssertEqual(full.reasonNotStarted(first), "suspended: disk")
        XCTAssertEqual(rated.reasonNotStarted(first), "suspended: disk")
        XCTAssertEqual(rated.reasonNotStarted(second), "waits for the rate: 1 in 1.0 seconds")
        XCTAssertNil(full.reasonNotStarted(second))
        XCTAssertEqual(steps.reasonNotStarted(step), "held in StepQueue")
        XCTAssertNil(steps.reasonNotStarted(first))
        let queue: any OperationScheduling = OperationQueue()
        XCTAssertNil(queue.reasonNotStarted(first))
        for operation in [first, second] { operation.cancel() }
        full.isSuspended = false
    }
}
