import JobKitTesting
import XCTest

@testable import JobKit

// R2: what is left to itself with tasks of its own, and tasks that were there before.
final class EventsOfNestedJobsTests: XCTestCase {
    func testTasksOfAJobThatIsLeftRunningAreDroppedWithIt() async {
        let leaf = HeldOperation("leaf", stopsWhenCancelled: false)
        let inner = ScriptedJob("inner") { $0.trackAndQueue(leaf) }
        let job = ScriptedJob("outer") { $0.trackAndQueue(inner, cancellation: .leaveRunning) }
        let (books, collector) = books(of: job)
        job.startJob()
        await wait(for: leaf.began)
        job.cancel()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(books.complaints, [])
        XCTAssertEqual(
            collector.log.events.suffix(3),
            ["leaf dropped", "inner dropped", "outer finished"]
        )
        leaf.finish()
        await bounded { await inner.waitForFinish() }
        XCTAssertEqual(collector.log.events.last, "outer finished")
    }

    func testObserversThatLeaveWhileOthersAreToldOfADropHearOfItOnceEach() async {
        let leaf = HeldOperation("leaf", stopsWhenCancelled: false)
        let inner = ScriptedJob("inner") { $0.trackAndQueue(leaf) }
        let job = ScriptedJob("job") { $0.trackAndQueue(inner, cancellation: .leaveRunning) }
        let observed = Gate()
        let other = ScriptedJob("other") {
            $0.track(inner, cancellation: .leaveRunning)
            // Its observers now observe the nested job.
            observed.open()
        }
        let (books, first) = books(of: job)
        let (otherBooks, second) = self.books(of: other)
        let holding = HoldingObserver(.dropped, of: "leaf")
        job.addObserver(holding)
        other.startJob()
        await wait(for: observed)
        job.startJob()
        await wait(for: leaf.began)
        Thread.detachNewThread { job.cancel() }
        await wait(for: holding.entered)
        // The observers of the one job are being told: those of the other leave.
        other.cancel()
        holding.release.open()
        for operation in [job, other] {
            await bounded { await operation.waitForFinish() }
        }
        XCTAssertEqual(otherBooks.complaints, [])
        XCTAssertEqual(books.complaints, [])
        XCTAssertEqual(first.kinds(of: "leaf"), [.tracked, .started, .dropped])
        XCTAssertEqual(second.kinds(of: "leaf"), [.tracked, .started, .dropped])
        leaf.finish()
        await bounded { await inner.waitForFinish() }
    }

    func testObserverOfAJobThatIsLeftRunningStays() async {
        let leaf = HeldOperation("leaf")
        let inner = ScriptedJob("inner") { $0.trackAndQueue(leaf) }
        let job = ScriptedJob("outer") { $0.trackAndQueue(inner, cancellation: .leaveRunning) }
        let (books, outside) = books(of: job)
        let inside = EventCollector()
        inner.addObserver(inside)
        job.startJob()
        await wait(for: leaf.began)
        job.cancel()
        await bounded { await job.waitForFinish() }
        leaf.finish()
        await bounded { await inner.waitForFinish() }
        XCTAssertEqual(books.complaints, [])
        XCTAssertEqual(outside.kinds(of: "leaf"), [.tracked, .started, .dropped])
        XCTAssertEqual(inside.kinds(of: "leaf"), [.tracked, .started, .finished, .delivered])
        XCTAssertEqual(inside.log.events.last, "inner finished")
    }

    func testJobOfTwoObservedJobsStaysObservedUntilBothHaveEnded() async {
        let leaf = HeldOperation("leaf")
        let inner = ScriptedJob("inner") { $0.trackAndQueue(leaf) }
        let first = ScriptedJob("first") { $0.track(inner, cancellation: .leaveRunning) }
        let second = ScriptedJob("second") { $0.track(inner) }
        let (books, collector) = (EventBooks(), EventCollector())
        for job in [first, second] {
            job.addObserver(books)
            job.addObserver(collector)
        }
        first.start()
        second.start()
        inner.start()
        await wait(for: leaf.began)
        first.cancel()
        await bounded { await first.waitForFinish() }
        leaf.finish()
        await bounded { await second.waitForFinish() }
        XCTAssertEqual(collector.kinds(of: "leaf"), [.tracked, .started, .finished, .delivered])
        XCTAssertEqual(books.complaints, [])
    }

    /// Left while an observer hears of a start: that one is told of the drop behind it.
    func testTaskThatIsJustStartingInAJobLeftRunningIsDropped() async {
        let blocking = HoldingObserver(.started, of: "leaf")
        let leaf = HeldOperation("leaf")
        let inner = ScriptedJob("inner") { $0.trackAndQueue(leaf) }
        let job = ScriptedJob("outer") { $0.trackAndQueue(inner, cancellation: .leaveRunning) }
        job.addObserver(blocking)
        let (books, collector) = books(of: job)
        job.startJob()
        await blocking.entered.waitUntilOpen()
        job.cancel()
        blocking.release.open()
        await wait(for: leaf.began)
        leaf.finish()
        await bounded { await inner.waitForFinish() }
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(collector.kinds(of: "leaf"), [.tracked, .started, .dropped])
        XCTAssertEqual(books.complaints, [])
    }

    // MARK: Tasks that were there before

    func testTasksOfANestedJobThatCameWithItAreToldOf() async {
        let queue = StepQueue()
        let inner = ScriptedJob("inner", queue: queue)
        inner.trackAndQueue(InstantOperation("early"))
        let job = ScriptedJob("outer", queue: queue) { $0.trackAndQueue(inner) }
        await checkEarlyTaskIsToldOf(by: job, stepping: queue)
    }

    func testTasksTrackedBeforeTheObserverCameAreToldOfIfTheJobHadNotBegun() async {
        let queue = StepQueue()
        let job = ScriptedJob(queue: queue)
        job.trackAndQueue(InstantOperation("early"))
        await checkEarlyTaskIsToldOf(by: job, stepping: queue)
    }

    /// Observes a job whose task "early" is tracked already, and runs it.
    private func checkEarlyTaskIsToldOf(
        by job: JobController,
        stepping queue: StepQueue,
        line: UInt = #line
    ) async {
        let (books, collector) = books(of: job)
        job.start()
        queue.runAll(seed: 1)
        await bounded { await job.waitForFinish() }
        let kinds = collector.kinds(of: "early")
        XCTAssertEqual(kinds, [.tracked, .started, .finished, .delivered], line: line)
        XCTAssertEqual(books.complaints, [], line: line)
    }

    func testEventsNameTheJobThatTheObserverWasAddedTo() async throws {
        let (outside, inside) = (EventCollector(), EventCollector())
        let inner = ScriptedJob("inner") { $0.trackAndQueue(InstantOperation("leaf")) }
        let job = ScriptedJob("outer") { $0.trackAndQueue(inner) }
        job.addObserver(outside)
        inner.addObserver(inside)
        try await job.run()
        XCTAssertTrue(outside.events.allSatisfy { $0.rootID == job.operationID })
        XCTAssertTrue(inside.events.allSatisfy { $0.rootID == inner.operationID })
        XCTAssertEqual(Set(inside.events.map(\.name)), ["inner", "leaf"])
    }
}
