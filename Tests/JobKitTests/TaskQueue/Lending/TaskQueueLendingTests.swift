import JobKitTesting
import XCTest

@testable import JobKit

/// When jobs must tell their queue that they wait, so that they can lend their places (J12).
final class TaskQueueLendingTests: XCTestCase {
    private func asksForLenders(_ queue: TaskQueue) -> Bool {
        queue.shell.asksForLenders.load(ordering: .relaxed)
    }

    /// The telling costs every job of the queue, so it ends with the reason for it.
    func testLendersAreAskedForOnlyWhileTheyMatter() async {
        let queue = TaskQueue()
        XCTAssertFalse(asksForLenders(queue))
        queue.maxConcurrentOperationCount = 2
        XCTAssertTrue(asksForLenders(queue))
        queue.maxConcurrentOperationCount = TaskQueue.defaultMaxConcurrentOperationCount
        XCTAssertFalse(asksForLenders(queue))
        queue.isSuspended = true
        queue.addBarrierBlock {}
        XCTAssertTrue(asksForLenders(queue))
        queue.isSuspended = false
        await drain(queue)
        XCTAssertFalse(asksForLenders(queue))
    }

    /// J10: where ten thousand jobs are nested, a look up from each would be fifty million.
    func testJobThatStartsANestedOneLooksAtNoJobAbove() {
        let nested = ScriptedJob("nested") { $0.track(HeldOperation("held")) }
        let job = ScriptedJob("job")
        // It has begun, and has a task, as soon as it is in its queue.
        job.trackAndQueue(nested, on: InlineQueue())
        let above = AskedListener()
        XCTAssertTrue(job.addListener(above))
        job.start()
        XCTAssertTrue(nested.isExecuting)
        XCTAssertEqual(above.questions.count, 0)
        job.cancel()
    }
}

// Unchecked because its superclass is: the property is a constant.
/// Counts how often it is asked who waits.
private final class AskedListener: OperationListener, @unchecked Sendable {
    let questions = Tally()

    override var waitingOperation: ConcurrentOperation? {
        questions.add()
        return nil
    }
}
