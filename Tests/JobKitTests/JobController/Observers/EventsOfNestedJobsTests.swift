import JobKit
import JobKitTesting
import XCTest

// R2: nested jobs that are left with their own tasks, and tasks that were tracked before the
// observer was added.
final class EventsOfNestedJobsTests: XCTestCase {
    func testNestedJobLeftRunningIsDroppedOnceWithEverythingBelowIt() async {
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
            ["leaf started", "inner dropped", "outer finished"]
        )
        leaf.finish()
        await bounded { await inner.waitForFinish() }
        XCTAssertEqual(collector.log.events.last, "outer finished")
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
        XCTAssertEqual(outside.kinds(of: "leaf"), [.tracked, .started])
        XCTAssertEqual(outside.kinds(of: "inner"), [.tracked, .started, .dropped])
        XCTAssertEqual(inside.kinds(of: "leaf"), [.tracked, .started, .finished, .delivered])
        XCTAssertEqual(inside.log.events.last, "inner finished")
    }

    func testJobOfTwoObservedJobsStaysObservedUntilBothHaveEnded() async {
        let leaf = HeldOperation("leaf")
        let inner = ScriptedJob("inner") { $0.trackAndQueue(leaf) }
        let first = ScriptedJob("first") { $0.track(inner, cancellation: .leaveRunning) }
        let second = ScriptedJob("second") { $0.track(inner) }
        let (books, collector) = books(of: first, second)
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

    /// The second job has begun to track the nested job, and does not listen to it yet.
    func testObserverOfTwoJobsStaysIfOneLeavesTheirTaskWhileTheOtherBeginsToTrackIt() async {
        let leaf = HeldOperation("leaf")
        let deep = ScriptedJob("deep") { $0.trackAndQueue(leaf) }
        let inner = ScriptedJob("inner") { $0.trackAndQueue(deep) }
        let first = ScriptedJob("first") { $0.track(inner, cancellation: .leaveRunning) }
        let second = ScriptedJob("second") { $0.track(inner) }
        let (books, collector) = books(of: first, second)
        let blocking = HoldingObserver(.tracked, of: "deep")
        second.addObserver(blocking)
        first.start()
        inner.start()
        await wait(for: leaf.began)
        second.startJob()
        await wait(for: blocking.entered)
        first.cancel()
        blocking.release.open()
        await bounded { await first.waitForFinish() }
        leaf.finish()
        await bounded { await second.waitForFinish() }
        XCTAssertEqual(collector.kinds(of: "leaf"), [.tracked, .started, .finished, .delivered])
        XCTAssertEqual(books.complaints, [])
    }

    /// The job is left while an observer is notified of a start, so the drop comes after it.
    func testNestedJobIsDroppedAfterTheStartEventBelowIt() async {
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
        XCTAssertEqual(collector.kinds(of: "leaf"), [.tracked, .started])
        XCTAssertEqual(collector.kinds(of: "inner"), [.tracked, .started, .dropped])
        XCTAssertEqual(collector.log.events.last, "outer finished")
        XCTAssertEqual(books.complaints, [])
    }

    /// Schedule fault 3: the nested job is left while an observer is notified of a delivery in it.
    func testNestedJobFinishesAfterTheDeliveryEventBelowIt() async {
        let blocking = HoldingObserver(.delivered, of: "leaf")
        let held = HeldOperation("held")
        let inner = ScriptedJob("inner") { job in
            job.trackAndQueue(held)
            job.trackAndQueue(InstantOperation("leaf"))
        }
        let job = ScriptedJob("outer") { $0.trackAndQueue(inner, cancellation: .leaveRunning) }
        job.addObserver(blocking)
        let (books, collector) = books(of: job)
        job.startJob()
        await wait(for: blocking.entered)
        job.cancel()
        XCTAssertFalse(job.isFinished)
        blocking.release.open()
        await bounded { await job.waitForFinish() }
        held.finish()
        await bounded { await inner.waitForFinish() }
        XCTAssertEqual(collector.log.events.suffix(2), ["inner dropped", "outer finished"])
        XCTAssertEqual(books.complaints, [])
    }

    // MARK: Removal

    func testRemovedObserverReceivesNothingMore() async {
        let leaf = HeldOperation("leaf")
        let inner = ScriptedJob("inner") { $0.trackAndQueue(leaf) }
        let job = ScriptedJob("outer") { $0.trackAndQueue(inner) }
        let (removed, staying, inside) = (EventCollector(), EventCollector(), EventCollector())
        for observer in [removed, staying] { job.addObserver(observer) }
        inner.addObserver(inside)
        job.startJob()
        await wait(for: leaf.began)
        job.removeObserver(removed)
        // The observer was not added there.
        job.removeObserver(inside)
        leaf.finish()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(removed.kinds(of: "leaf"), [.tracked, .started])
        XCTAssertEqual(removed.log.events.last, "leaf started")
        XCTAssertEqual(staying.log.events.last, "outer finished")
        XCTAssertEqual(inside.log.events.last, "inner finished")
    }

    func testObserverThatIsRemovedFromANestedJobStaysInTheOuterOne() async {
        let leaf = HeldOperation("leaf")
        let inner = ScriptedJob("inner") { $0.trackAndQueue(leaf) }
        let job = ScriptedJob("outer") { $0.trackAndQueue(inner) }
        let collector = EventCollector()
        job.addObserver(collector)
        inner.addObserver(collector)
        job.startJob()
        await wait(for: leaf.began)
        inner.removeObserver(collector)
        leaf.finish()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(collector.kinds(of: "leaf"), [.tracked, .started, .finished, .delivered])
        XCTAssertEqual(collector.events.last?.rootID, job.operationID)
        XCTAssertEqual(collector.log.events.last, "outer finished")
    }

    func testObserverOfBothJobsThatIsRemovedFromTheOuterOneStaysInTheNestedOne() async {
        let leaf = HeldOperation("leaf")
        let inner = ScriptedJob("inner") { $0.trackAndQueue(leaf) }
        let job = ScriptedJob("outer") { $0.trackAndQueue(inner) }
        let collector = EventCollector()
        job.addObserver(collector)
        inner.addObserver(collector)
        job.startJob()
        await wait(for: leaf.began)
        job.removeObserver(collector)
        leaf.finish()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(collector.log.events.last, "inner finished")
        XCTAssertEqual(collector.events.last?.rootID, inner.operationID)
    }

    // MARK: Tasks that were tracked earlier

    func testTasksThatANestedJobBringsHaveEvents() async {
        let queue = StepQueue()
        let inner = ScriptedJob("inner", queue: queue)
        inner.trackAndQueue(InstantOperation("early"))
        let job = ScriptedJob("outer", queue: queue) { $0.trackAndQueue(inner) }
        await checkEarlyTaskHasEvents(by: job, stepping: queue)
    }

    func testTasksTrackedBeforeTheObserverHaveEventsIfTheJobHasNotStarted() async {
        let queue = StepQueue()
        let job = ScriptedJob(queue: queue)
        job.trackAndQueue(InstantOperation("early"))
        await checkEarlyTaskHasEvents(by: job, stepping: queue)
    }

    /// Observes and runs a job that already tracks the task "early".
    private func checkEarlyTaskHasEvents(
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
