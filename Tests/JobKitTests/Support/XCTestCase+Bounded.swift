import XCTest

/// Waits for an expectation from the main actor, and fails where it is not fulfilled in five
/// minutes.
///
/// Where `XCTestCase.fulfillment(of:)` is `async` on no actor, as in older toolchains, a test of
/// the main actor cannot send itself there.
func waitForFulfillment(of expectation: XCTestExpectation) async {
    let result = await XCTWaiter.fulfillment(of: [expectation], timeout: 300)
    XCTAssertEqual(result, .completed)
}

extension XCTestCase {
    /// Runs `body` in a task, and fails where it has not returned in five minutes.
    func bounded(line: Int = #line, _ body: @escaping @Sendable () async -> Void) async {
        let returned = expectation(description: "returned, line \(line)")
        Task {
            await body()
            returned.fulfill()
        }
        await fulfillment(of: [returned], timeout: 300)
    }
}
