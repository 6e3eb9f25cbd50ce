import Foundation
import JobKit
import JobKitTesting
import XCTest

/// The names and signatures around jobs and of the test kit on which users' code depends.
final class ContractAround: XCTestCase {
    private final class Observer: JobObserver {
        func job(_ job: JobController, didRecord event: JobEvent) {
            switch event.kind {
            case .tracked, .started, .finished, .delivered, .dropped: break
            }
            let _: (Int, Int?, Int) = (event.operationID, event.parentID, event.rootID)
            let _: (Duration?, String, Operation.Type) = (event.duration, event.name, event.type)
            let _: (OperationOutcome?, ContinuousClock.Instant) = (event.outcome, event.instant)
            let _: (Int?, Bool) = (event.index, event.isAbandoned)
        }
    }

    func testRetry() async {
        let policy = RetryPolicy { (failedAttempts: Int, error: any Error) -> Duration? in nil }
        let _: RetryPolicy = .exponential(
            attempts: 3,
            initialDelay: .seconds(1),
            multiplier: 2,
            jitter: 0.2,
            maximumDelay: .seconds(60)
        )
        _ = RetryPolicy.exponential(attempts: 3, initialDelay: .zero)
        let _: Duration? = policy.nextDelay(afterAttempt: 1, error: CancellationError())
        let retry = RetryOperation(
            policy,
            on: TaskQueue.shared,
            shouldRetry: { (error: any Error) in true },
            make: { (attempt: Int) -> ConcurrentOperation in ConcurrentOperation() }
        )
        _ = RetryOperation(policy) { _ in BlockOperation {} }
        retry.retryNow()
        retry.start()
        await retry.waitForFinish()
        let attempt: ConcurrentOperation? = retry.latestAttempt
        XCTAssertNotNil(attempt)
        let _: ConcurrentOperation = retry
    }

    func testWatching() async throws {
        let job = JobController()
        job.addObserver(Observer())
        let recorder = TimelineRecorder(limit: 10)
        job.addObserver(recorder)
        _ = TimelineRecorder()
        let progress: Progress = job.progress
        try await job.run()
        XCTAssertEqual(progress.fractionCompleted, 1)
        let _: String = job.explainStall()
        let _: String = job.explainStall(limit: 10)
        let snapshot: JobSnapshot = job.snapshot(limit: 10)
        _ = job.snapshot()
        let _: (Int, String, String) = (snapshot.id, snapshot.name, snapshot.type)
        let _: (JobSnapshot.State, Double) = (snapshot.state, snapshot.fractionCompleted)
        let states: [JobSnapshot.State] = [.waiting, .executing, .succeeded, .failed, .cancelled]
        XCTAssertEqual(
            states.map(\.rawValue),
            ["waiting", "executing", "succeeded", "failed", "cancelled"]
        )
        let _: any Identifiable = snapshot
        let events: AsyncStream<JobEvent> = job.events(bufferingNewest: 5)
        let _: AsyncStream<JobEvent> = job.events()
        for await event in events { XCTFail("\(event)") }
        let _: (Int, Int) = (snapshot.trackedCount, snapshot.finishedCount)
        let _: (Int, [JobSnapshot], Int) =
            (snapshot.failedCount, snapshot.unfinished, snapshot.omittedCount)
        let _: any Codable & Sendable = snapshot
        let timeline: Timeline = recorder.timeline
        let _: any Codable & Equatable & Sendable = timeline
        for group: Timeline.Group in timeline.groups {
            let _: any Equatable & Sendable = group
            let _: (String, Int, Duration) = (group.name, group.taskCount, group.duration)
        }
        for entry: Timeline.Entry in timeline.entries + timeline.criticalPath {
            let _: (String, String, String?) = (entry.name, entry.typeName, entry.group)
            let _: (OperationOutcome?, Int?, Int) = (entry.outcome, entry.parent, entry.lane)
            let _: (Duration, Duration, Duration?) = (entry.start, entry.end, entry.timeAfterTasks)
            let _: any Equatable & Sendable = entry
        }
        let _: String = timeline.text()
        let _: Data = timeline.chromeTrace()
        let _: String = timeline.mermaid()
        let _: String = timeline.svg()
        #if canImport(os)
        let _: any JobObserver = SignpostObserver(subsystem: "com.example", category: "Jobs")
        _ = SignpostObserver()
        #endif
    }

    func testTestKit() async throws {
        let queue = StepQueue()
        let _: any OperationScheduling = queue
        queue.addOperation(ConcurrentOperation())
        queue.addOperation(ConcurrentOperation())
        let held: [Operation] = queue.held
        XCTAssertEqual(held.count, 2)
        let first: Operation? = queue.runNext()
        XCTAssertIdentical(first, held[0])
        queue.runNext()
        queue.runAll(seed: 1 as UInt64)
        try await queue.run(JobController(), seed: 1 as UInt64)

        let clock = ManualClock()
        let deadline: ManualClock.Instant = clock.now.advanced(by: .seconds(1))
        let sleeper = Task { try await clock.sleep(until: deadline, tolerance: nil) }
        await clock.waitForSleepers()
        await clock.waitForSleepers(1)
        await clock.waitForDeadline(deadline)
        let next: ManualClock.Instant? = clock.nextDeadline
        XCTAssertEqual(next, deadline)
        let length: Duration = .seconds(1)
        clock.advance(by: length)
        _ = await sleeper.result
        let _: any Clock<Duration> & Sendable = clock

        let stall = StepQueueStallError(name: "job", explanation: "job: executing")
        let _: any LocalizedError & CustomStringConvertible = stall
        let _: (String, String) = (stall.name, stall.explanation)

        let log = EventLog()
        log.record("event")
        XCTAssertEqual(log.events, ["event"])
        let gate = Gate()
        gate.open()
        await gate.waitUntilOpen()
        XCTAssertTrue(gate.isOpen)
        let _: any Sendable = (log as any Sendable, gate as any Sendable)
    }

    func testBlockingGate() {
        let gate = Gate()
        gate.open()
        gate.wait()
    }
}
