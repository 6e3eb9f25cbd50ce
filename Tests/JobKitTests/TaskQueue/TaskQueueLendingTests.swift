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
}
