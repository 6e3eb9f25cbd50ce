import JobKit
import XCTest

extension XCTestCase {
    /// Awaits the end of all operations of a queue, on a plain thread that may be blocked.
    func drain(_ queue: TaskQueue) async {
        let drained = expectation(description: "the queue is empty")
        Thread.detachNewThread {
            queue.waitUntilAllOperationsAreFinished()
            drained.fulfill()
        }
        await fulfillment(of: [drained], timeout: 300)
    }
}
