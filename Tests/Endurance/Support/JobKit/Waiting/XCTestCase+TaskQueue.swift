import JobKit
import XCTest

extension XCTestCase {
    /// Waits, with a bound, until all operations of a queue have finished.
    func drain(_ queue: TaskQueue) async {
        await bounded { await queue.waitForAllOperations() }
    }
}
