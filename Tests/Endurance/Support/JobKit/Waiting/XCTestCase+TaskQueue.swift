import JobKit
import XCTest

extension XCTestCase {
    /// Awaits the end of all operations of a queue, with a bound.
    func drain(_ queue: TaskQueue) async {
        await bounded { await queue.waitForAllOperations() }
    }
}
