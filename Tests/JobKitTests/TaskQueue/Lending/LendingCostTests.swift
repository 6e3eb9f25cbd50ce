import Foundation
import JobKitTesting
import Synchronization
import XCTest

@testable import JobKit

/// J12: the cost of lending for jobs, and for many loans.
final class LendingCostTests: XCTestCase {
    /// Notifying the queue takes time, so jobs do it only while there is a reason.
    func testJobsReportWaitingOnlyWhileItMatters() async {
        let queue = TaskQueue()
        func asks() -> Bool { queue.shell.needsLending.load(ordering: .relaxed) }
        XCTAssertFalse(asks())
        queue.maxConcurrentOperationCount = 2
        XCTAssertTrue(asks())
        queue.maxConcurrentOperationCount = TaskQueue.defaultMaxConcurrentOperationCount
        XCTAssertFalse(asks())
        queue.isSuspended = true
        queue.addBarrierBlock {}
        XCTAssertTrue(asks())
        queue.isSuspended = false
        await drain(queue)
        XCTAssertFalse(asks())
    }

    /// A worker of the job's queue reports together with its next request, other threads at once.
    func testWorkerOfTheJobsQueueReportsLater() async {
        let (queue, job) = (TaskQueue(maxConcurrentOperationCount: 1), JobController())
        let permit = JobPermit()
        queue.isSuspended = true
        queue.addOperation(job)
        permit.jobStarts(job)
        let context = ThreadContext.current
        /// Reports on this thread, and returns the reports that it has collected.
        func reports(asWorkerOf worker: TaskQueue?) -> [ConcurrentOperation?] {
            context.pointee.workerQueue = worker.map { ObjectIdentifier($0.shell) }
            defer { context.pointee.workerQueue = nil }
            permit.jobBusy()
            permit.jobWaits(job)
            return [context.pointee.busyJob.take(), context.pointee.waitingJob.take()]
        }
        let other = TaskQueue(maxConcurrentOperationCount: 1)
        XCTAssertEqual(context.collectingReports { reports(asWorkerOf: queue) }, [job, job])
        XCTAssertEqual(context.collectingReports { reports(asWorkerOf: other) }, [nil, nil])
        XCTAssertEqual(reports(asWorkerOf: queue), [nil, nil], "inside a callback")
        XCTAssertEqual(reports(asWorkerOf: nil), [nil, nil])
        queue.isSuspended = false
        await drain(queue)
    }

    /// J10: in ten thousand nested jobs, upward searches would take fifty million steps.
    func testJobThatStartsANestedOneLooksAtNoJobAbove() {
        let nested = ScriptedJob("nested") { $0.track(HeldOperation("held")) }
        let job = ScriptedJob("job")
        // It has begun and has a task as soon as it is in its queue.
        job.trackAndQueue(nested, on: InlineQueue())
        let above = AskedListener()
        XCTAssertTrue(job.addListener(above))
        job.start()
        XCTAssertTrue(nested.isExecuting)
        XCTAssertEqual(above.questions.count, 0)
        job.cancel()
    }

    /// J10: a job runs many steps with its own permit, in the queue in which it executes, which is
    /// limited to 1.
    func testManyStepsWithTheJobsOwnPermit() async throws {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let job = StepsJob(queue: queue)
        try await job.run(on: queue)
        XCTAssertEqual(job.count, StepsJob.stepCount)
    }
}

// Unchecked because its superclass is: the property is a constant.
/// Counts the reads of its waiting job.
private final class AskedListener: OperationListener, @unchecked Sendable {
    let questions = Tally()

    override var knownJob: ConcurrentOperation? { waitingJob }

    override var waitingJob: ConcurrentOperation? {
        questions.add()
        return nil
    }
}
