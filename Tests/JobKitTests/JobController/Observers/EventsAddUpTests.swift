import JobKit
import JobKitTesting
import XCTest

// R2: every tracked task has finished or was dropped before its job has finished, for each way to
// leave a job.
final class EventsAddUpTests: XCTestCase {
    func testTaskThatIsLeftRunningIsDropped() async {
        let left = HeldOperation("left")
        let job = ScriptedJob { job in
            job.track(left, cancellation: .leaveRunning)
            left.start()
        }
        let (books, collector) = books(of: job)
        job.startJob()
        await wait(for: left.began)
        job.cancel()
        await bounded { await job.waitForFinish() }
        left.finish()
        XCTAssertEqual(
            collector.log.events,
            ["job started", "left tracked", "left started", "left dropped", "job finished"]
        )
        XCTAssertEqual(books.complaints, [])
    }

    func testTaskThatIsCancelledAndNotWaitedForIsDropped() async {
        let slow = HeldOperation("slow", stopsWhenCancelled: false)
        let job = ScriptedJob { job in
            job.trackAndQueue(slow, cancellation: .cancelWithoutWaiting)
        }
        let (books, collector) = books(of: job)
        job.startJob()
        await wait(for: slow.began)
        job.cancel()
        await bounded { await job.waitForFinish() }
        slow.finish()
        XCTAssertEqual(collector.log.events.suffix(2), ["slow dropped", "job finished"])
        XCTAssertEqual(books.complaints, [])
    }

    func testTaskThatIsCancelledBeforeItsStartIsDropped() async {
        let (queue, never) = (StepQueue(), InstantOperation("never"))
        let job = ScriptedJob(queue: queue) { $0.trackAndQueue(never) }
        let (books, collector) = books(of: job)
        job.startJob()
        await waitForHeld(never, in: queue)
        job.cancel()
        await bounded { await job.waitForFinish() }
        queue.runAll(seed: 1)
        XCTAssertEqual(
            collector.log.events,
            ["job started", "never tracked", "never dropped", "job finished"]
        )
        XCTAssertEqual(books.complaints, [])
    }

    func testTaskOfAJobThatIsCancelledBeforeItsStartIsDropped() async {
        let job = ScriptedJob(queue: StepQueue())
        let (books, collector) = books(of: job)
        job.trackAndQueue(InstantOperation("early"))
        job.cancel()
        job.startJob()
        await waitForFinish(ofCancelled: job)
        XCTAssertEqual(
            collector.log.events,
            ["early tracked", "early dropped", "job started", "job finished"]
        )
        XCTAssertEqual(books.complaints, [])
    }

    // R2: an operation that never enters `main()` was never started.
    func testTaskThatHadFinishedBeforeItsStartIsNotStarted() async throws {
        let finished = HeldOperation("finished")
        finished.finish()
        let queue = StepQueue()
        let (cancelled, plain) = (HeldOperation("cancelled"), BlockOperation {})
        plain.name = "plain"
        let job = ScriptedJob(queue: queue) { job in
            for task in [finished, cancelled] { job.trackAndQueue(task) }
            job.trackAndQueue(plain, on: TaskQueue())
        }
        plain.cancel()
        let (books, collector) = books(of: job)
        job.startJob()
        await waitForHeld(cancelled, in: queue)
        cancelled.cancel()
        queue.runAll(seed: 1)
        await bounded { await job.waitForFinish() }
        for name in ["finished", "cancelled", "plain"] {
            XCTAssertEqual(collector.kinds(of: name), [.tracked, .finished, .delivered], name)
            let end = collector.events.first { $0.name == name && $0.kind == .finished }
            XCTAssertNil(end?.duration)
        }
        XCTAssertEqual(books.complaints, [])
    }

    // R2: a bar of a timeline is time in which something ran.
    func testTaskThatNeverRanTakesNoTimeInATimeline() async throws {
        let (queue, recorder) = (StepQueue(), TimelineRecorder())
        let cancelled = HeldOperation("cancelled")
        let job = ScriptedJob(queue: queue) { $0.trackAndQueue(cancelled) }
        job.addObserver(recorder)
        job.startJob()
        await waitForHeld(cancelled, in: queue)
        cancelled.cancel()
        queue.runAll(seed: 1)
        await bounded { await job.waitForFinish() }
        let entry = try XCTUnwrap(recorder.timeline.entries.first { $0.name == "cancelled" })
        XCTAssertEqual(entry.start, entry.end)
    }

    func testTaskThatIsTrackedByAnEndingJobIsDropped() async {
        let entered = Gate()
        let job = ScriptedJob { job in
            entered.open()
            job.finish()
            job.trackAndQueue(InstantOperation("late"))
            job.trackAndQueue(BlockOperation {})
        }
        let (books, collector) = books(of: job)
        job.startJob()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(collector.kinds(of: "late"), [.tracked, .dropped])
        XCTAssertEqual(collector.kinds(of: "\(BlockOperation.self)"), [.tracked, .dropped])
        XCTAssertEqual(books.complaints, [])
    }

    func testTaskOfTwoJobsIsDroppedByTheOneThatEnds() async {
        let shared = HeldOperation("shared")
        let first = ScriptedJob("first") { $0.track(shared, cancellation: .leaveRunning) }
        let second = ScriptedJob("second") { $0.track(shared) }
        let books = EventBooks()
        for job in [first, second] { job.addObserver(books) }
        first.start()
        second.start()
        shared.start()
        first.cancel()
        await bounded { await first.waitForFinish() }
        XCTAssertEqual(books.count(of: .dropped), 1)
        shared.finish()
        await bounded { await second.waitForFinish() }
        XCTAssertEqual(books.count(of: .started), 4)
        XCTAssertEqual(books.complaints, [])
    }

    /// The task is dropped only after the observer of its start has returned.
    func testTaskIsDroppedAfterItsStartEvent() async {
        let blocking = HoldingObserver(.started, of: "task")
        let job = ScriptedJob { $0.trackAndQueue(InstantOperation("task")) }
        job.addObserver(blocking)
        let (books, collector) = books(of: job)
        job.startJob()
        await blocking.entered.waitUntilOpen()
        job.cancel()
        XCTAssertFalse(job.isFinished)
        blocking.release.open()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(
            collector.log.events,
            ["job started", "task tracked", "task started", "task dropped", "job finished"]
        )
        XCTAssertEqual(books.complaints, [])
    }

    /// The task is dropped only after its tracking event.
    ///
    /// Another thread cancels the job during that event.
    func testTaskIsDroppedAfterItsTrackingEvent() async {
        let blocking = HoldingObserver(.tracked, of: "task")
        let job = ScriptedJob { $0.trackAndQueue(InstantOperation("task")) }
        job.addObserver(blocking)
        let (books, collector) = books(of: job)
        job.startJob()
        await blocking.entered.waitUntilOpen()
        job.cancel()
        XCTAssertEqual(collector.log.events, ["job started"])
        blocking.release.open()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(
            collector.log.events,
            ["job started", "task tracked", "task dropped", "job finished"]
        )
        XCTAssertEqual(books.complaints, [])
    }

    func testObserverThatCancelsTheJobLeavesNothingOpen() async {
        final class Cancelling: JobObserver {
            let kind: JobEvent.Kind

            init(_ kind: JobEvent.Kind) { self.kind = kind }

            func job(_ job: JobController, didRecord event: JobEvent) {
                if event.kind == kind, event.parentID != nil { job.cancel() }
            }
        }
        for kind in [JobEvent.Kind.tracked, .started, .finished, .delivered] {
            let job = ScriptedJob { job in
                for name in ["a", "b", "c"] { job.trackAndQueue(InstantOperation(name)) }
                job.trackAndQueue(BlockOperation {})
            }
            job.addObserver(Cancelling(kind))
            let (books, collector) = books(of: job)
            job.startJob()
            await bounded { await job.waitForFinish() }
            XCTAssertEqual(books.complaints, [], "\(kind)")
            XCTAssertEqual(collector.log.events.last, "job finished", "\(kind)")
        }
    }

    private func waitForHeld(_ operation: Operation, in queue: StepQueue) async {
        await eventually { queue.held.contains { $0 === operation } }
    }
}
