import XCTest

extension XCTestCase {
    /// Calls `body` with numbers on `count` new threads at once, and awaits their end.
    func runOnThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
        let ended = expectation(description: "every thread has ended")
        ended.expectedFulfillmentCount = count
        for number in 0..<count {
            Thread.detachNewThread {
                body(number)
                ended.fulfill()
            }
        }
        await fulfillment(of: [ended], timeout: 300)
    }
}
