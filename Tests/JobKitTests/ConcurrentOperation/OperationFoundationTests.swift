import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// O6: Foundation's documentation of `Operation` holds.
final class OperationFoundationTests: XCTestCase {
    // O6
    func testCompletionBlockIsCalledOnceOnEveryRunner() async {
        for runner in OperationRunner.allCases {
            let called = expectation(description: "completion block")
            called.assertForOverFulfill = true
            let operation = HeldOperation(stopsWhenCancelled: false)
            operation.completionBlock = { called.fulfill() }
            runner.run(operation)
            await operation.began.waitUntilOpen()
            operation.finish()
            operation.finish()
            operation.cancel()
            await fulfillment(of: [called], timeout: 300)
        }
    }

    /// A notification repairs the earlier result that Foundation refused, as on Apple platforms.
    ///
    /// The next `isReady` that is true needs no notification.
    func testFalseReadinessIsRepairedByOneAnnouncement() {
        let (operation, dependency) = (ConcurrentOperation(), ConcurrentOperation())
        operation.addDependency(dependency)
        XCTAssertFalse(operation.isReady)
        dependency.start()
        XCTAssertTrue(operation.flags.contains(.unreadinessRead))
        operation.repairReadiness(isOnce: true)
        XCTAssertFalse(operation.flags.contains(.unreadinessRead))
        XCTAssertTrue(operation.isReady)
        operation.addDependency(HeldOperation())
        XCTAssertFalse(operation.isReady)
        XCTAssertTrue(operation.flags.contains(.unreadinessRead))
    }

    // O6: the same for an operation that was cancelled or finished before its start.
    func testCompletionBlockIsCalledWithoutMain() async {
        for runner in OperationRunner.allCases {
            let called = expectation(description: "completion block")
            called.expectedFulfillmentCount = 2
            let (cancelled, finished) = (
                HeldOperation(stopsWhenCancelled: false), HeldOperation(stopsWhenCancelled: false)
            )
            for operation in [cancelled, finished] {
                operation.completionBlock = { called.fulfill() }
            }
            cancelled.cancel()
            finished.finish()
            runner.run(cancelled, finished)
            await fulfillment(of: [called], timeout: 300)
        }
    }

    // O6: a job that tracks the operation keeps the block, set before or after tracking.
    func testCompletionBlockSetBeforeOrAfterTrackingIsCalledOnce() async throws {
        for isSetBefore in [true, false] {
            let called = expectation(description: "completion block")
            let task = HeldOperation(stopsWhenCancelled: false)
            if isSetBefore { task.completionBlock = { called.fulfill() } }
            let log = EventLog()
            let job = TrackingJob(task: task, log: log)
            job.startJob()
            await task.began.waitUntilOpen()
            if !isSetBefore { task.completionBlock = { called.fulfill() } }
            XCTAssertNotNil(task.completionBlock)
            task.finish()
            await fulfillment(of: [called], timeout: 300)
            await log.waitForEvent("all finished")
            XCTAssertEqual(log.events, ["task finished", "all finished"])
        }
    }

    // O6: the user replaces the block while the operation is executing, and the last one counts.
    func testReplacedCompletionBlockIsNotCalled() async {
        let called = expectation(description: "the second block")
        let operation = HeldOperation(stopsWhenCancelled: false)
        operation.completionBlock = { XCTFail("the first block") }
        operation.start()
        operation.completionBlock = { called.fulfill() }
        operation.finish()
        await fulfillment(of: [called], timeout: 300)
    }

    // O6
    func testWaitUntilFinishedReturnsForAllWaiters() async {
        for runner in OperationRunner.allCases {
            let operation = HeldOperation(stopsWhenCancelled: false)
            let passed = expectation(description: "waiters have passed")
            passed.expectedFulfillmentCount = 4
            for _ in 0..<4 {
                Thread.detachNewThread {
                    operation.waitUntilFinished()
                    XCTAssertTrue(operation.isFinished)
                    passed.fulfill()
                }
            }
            runner.run(operation)
            await operation.began.waitUntilOpen()
            operation.finish()
            await fulfillment(of: [passed], timeout: 300)
        }
    }

    // O6
    func testNamePriorityAndQualityAreKept() {
        let operation = ConcurrentOperation()
        XCTAssertNil(operation.name)
        XCTAssertEqual(operation.queuePriority, .normal)
        operation.name = "resize"
        operation.queuePriority = .veryHigh
        operation.qualityOfService = .utility
        XCTAssertEqual(operation.name, "resize")
        XCTAssertEqual(operation.queuePriority, .veryHigh)
        XCTAssertEqual(operation.qualityOfService, .utility)
    }

    // O6: priorities order ready operations.
    func testQueuePriorityOrdersReadyOperations() async {
        let log = EventLog()
        func operations() -> [ScriptedOperation] {
            [Operation.QueuePriority.low, .normal, .high]
                .map { priority in
                    let operation = ScriptedOperation {
                        log.record("\(priority.rawValue)")
                        $0.finish()
                    }
                    operation.queuePriority = priority
                    return operation
                }
        }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let all = operations()
        queue.add(all[0], all[1], all[2])
        queue.isSuspended = false
        for operation in [all[0], all[1], all[2]] {
            await bounded { await operation.waitForFinish() }
        }
        XCTAssertEqual(log.events, ["4", "0", "-4"])
    }

    // O1: in a queue limited to 1, an asynchronous operation keeps its permit until it finishes.
    func testAsynchronousOperationKeepsItsPermitInAnOperationQueue() async {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let (first, second) = (
            HeldOperation(stopsWhenCancelled: false), HeldOperation(stopsWhenCancelled: false)
        )
        queue.add(first, second)
        await first.began.waitUntilOpen()
        XCTAssertEqual(queue.operationCount, 2)
        XCTAssertFalse(second.isExecuting)
        first.finish()
        await second.began.waitUntilOpen()
        second.finish()
        await bounded { await second.waitForFinish() }
    }
}

// Operation forces @unchecked. The properties are constants.
private final class TrackingJob: JobController, @unchecked Sendable {
    private let task: HeldOperation
    private let log: EventLog

    init(task: HeldOperation, log: EventLog) {
        self.task = task
        self.log = log
        super.init()
    }

    override func main() { trackAndQueue(task) }

    override func taskFinished(_ task: Operation) { log.record("task finished") }

    override func allTasksFinished() { log.record("all finished") }
}
